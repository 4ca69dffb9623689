/** An image: its address, its format as the address tells it, and what stands in its place where it cannot be seen. */
import type { ExtractedArtifact } from '../../../../contract/extraction.ts';

const formats: Readonly<Record<string, string>> = {
  apng: 'apng',
  avif: 'avif',
  bmp: 'bmp',
  gif: 'gif',
  heic: 'heic',
  ico: 'ico',
  jpeg: 'jpeg',
  jpg: 'jpeg',
  jxl: 'jxl',
  png: 'png',
  svg: 'svg',
  tif: 'tiff',
  tiff: 'tiff',
  webp: 'webp',
};

/** `![alt](url "title")`, with or without angle brackets. */
const markdownImage = /^\s*!\[((?:\\.|[^\]\\])*)\]\(\s*(?:<([^>]*)>|([^\s)]+))/;

/** The address of an image: the content itself, or the one in its Markdown. */
export function imageAddress(content: string): string {
  const [, , bracketed, plain] = markdownImage.exec(content) ?? [];
  return bracketed ?? plain ?? content.trim();
}

/** From the address alone; `reachable` and the rest are found by asking for it. */
export function enrichImage({ content, title, metadata }: Pick<ExtractedArtifact, 'content' | 'title' | 'metadata'>): {
  format: string | null;
  altText: string | null;
} {
  const address = imageAddress(content);
  const written = markdownImage.exec(content)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const known = [written, metadata.alt, metadata.altText, title === address ? undefined : title];
  const altText = known.find((value) => typeof value === 'string' && value.trim() !== '');
  return { format: formatOf(address), altText: typeof altText === 'string' ? altText : null };
}

function formatOf(address: string): string | null {
  const declared = /^data:image\/([a-z0-9.-]+)/i.exec(address)?.[1]?.toLowerCase();
  const extension = declared ?? /\.([a-z]{3,4})$/i.exec(URL.parse(address)?.pathname ?? address)?.[1]?.toLowerCase();
  return (extension === undefined ? undefined : formats[extension]) ?? null;
}
