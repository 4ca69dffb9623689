/** The native PDF parser, and the only file that calls it. */
import { LiteParse, type LiteParseConfig, type ParseResult } from '@llamaindex/liteparse';
import { beforeNativeCode } from '../native-code.ts';

/** Text and layout of a PDF's pages. @throws NativeCodeRefused, or the parser's error */
export async function parseLayout(bytes: Uint8Array, config: Partial<LiteParseConfig>): Promise<ParseResult> {
  await beforeNativeCode();
  return new LiteParse(config).parse(bytes);
}
