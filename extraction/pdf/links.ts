/** Links that a page's annotations lay over words, where the layout parser did not show them. */
import type { ParsedPage } from '@llamaindex/liteparse';
import { escapeInline } from '../markdown/write.ts';

/** The page's Markdown with such links around their words, where these stand in it once. */
export function withLinks(markdown: string, page: ParsedPage): string {
  let linked = markdown;
  for (const { uri, rect } of page.annotations ?? []) {
    if (uri === undefined || rect === undefined || !/^(?:https?:|mailto:)[^\s<>]+$/i.test(uri)) continue;
    if (linked.includes(`](${uri})`)) continue;
    const words = page.textItems
      .flatMap((item) => item.words ?? [item])
      .filter(({ x, y, width, height }) => {
        const [middle, centre] = [x + width / 2, y + height / 2];
        return middle >= rect.x && middle <= rect.x + rect.width && centre >= rect.y && centre <= rect.y + rect.height;
      });
    // A word may go on beyond the link: the full stop behind an address.
    const text = escapeInline(words.map((word) => word.text).join(' ')).replace(/[.,;:]+$/, '');
    const at = text.length < 2 ? -1 : linked.indexOf(text);
    if (at === -1 || linked.indexOf(text, at + 1) !== -1 || /[[\]()|]/.test(text)) continue;
    linked = `${linked.slice(0, at)}[${text}](${uri})${linked.slice(at + text.length)}`;
  }
  return linked;
}
