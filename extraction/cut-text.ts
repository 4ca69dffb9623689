/** The text cut to `maxCodePoints`; a text that was cut ends with an ellipsis, which counts as one. */
export function cutText(text: string, maxCodePoints: number): string {
  if (text.length <= maxCodePoints) return text;
  const points = Array.from(text.slice(0, maxCodePoints * 2 + 2));
  return points.length <= maxCodePoints ? text : `${points.slice(0, maxCodePoints - 1).join('')}…`;
}
