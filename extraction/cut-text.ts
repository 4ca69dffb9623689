/** A text of at most `most` code points, the last of them an ellipsis where it was longer. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const points = Array.from(text.slice(0, most * 2 + 2));
  return points.length <= most ? text : `${points.slice(0, most - 1).join('')}…`;
}
