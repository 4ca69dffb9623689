/** The native PDF parser, and the only file that calls it. */
import { LiteParse, type LiteParseConfig, type ParseResult } from '@llamaindex/liteparse';
import { beforeNativeCode } from '../native-code.ts';

/** What a PDF's pages hold and how it is laid out. @throws NativeCodeRefused, or what the parser says of the file */
export async function parseLayout(bytes: Uint8Array, config: Partial<LiteParseConfig>): Promise<ParseResult> {
  await beforeNativeCode();
  return new LiteParse(config).parse(bytes);
}
