/** Every sample of test/samples yields its expected strings in order and its expected tables. */

import { convertToMarkdown } from '../../extraction/convert.ts';
import { defaultLimits } from '../../extraction/limits.ts';
import { sampleFormats, samplesOf } from '../support/samples.ts';
import { scoreOf } from '../support/score.ts';
import { contentOf } from './content.ts';

// The main text of web pages is scored over all pages together (main-text.test.ts).
const formats = (await sampleFormats()).filter((format) => format !== 'html');
const samples = (await Promise.all(formats.map(samplesOf))).flat();

test.each(samples.map((sample) => [`${sample.format}/${sample.filename}`, sample] as const))(
  '%s',
  async (_, sample) => {
    const { bytes, filename, format, expected } = sample;
    const read = await convertToMarkdown(contentOf(bytes, { filename, url: expected.url }), defaultLimits);
    expect(read.format).toBe(format);
    const { strings, found, inOrder, missing, brokenTables, unwanted } = scoreOf(read.markdown, expected);
    expect({ missing, brokenTables, unwanted }).toEqual({ missing: [], brokenTables: [], unwanted: [] });
    expect({ found, inOrder }).toEqual({ found: strings, inOrder: strings });
    if (expected.title !== undefined && expected.title !== null) expect(read.title).toBe(expected.title);
  },
);
