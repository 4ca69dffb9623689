import { remarkWarnings, typedLines } from '../../../../extraction/readers/pdf/annotations.ts';

const rect = { x: 72, y: 300, width: 200, height: 20 };
const annotations = [
  { subtype: 'freetext', contents: 'Approved\rin May', rect, quadpointRects: [] },
  { subtype: 'freetext', contents: ' ', rect, quadpointRects: [] },
  { subtype: 'highlight', contents: 'Is that so?', rect, quadpointRects: [] },
  { subtype: 'highlight', rect, quadpointRects: [] },
  { subtype: 'text', contents: 'No.', rect, quadpointRects: [] },
  { subtype: 'link', contents: 'To the site', rect, uri: 'https://example.org', quadpointRects: [] },
];

test('text typed onto a page becomes a line at its position', () => {
  expect(typedLines({ annotations }).map(({ text, box }) => [text, box])).toEqual([['Approved in May', rect]]);
  expect(typedLines({})).toEqual([]);
});

test('review comments are counted over all pages', () => {
  expect(remarkWarnings([{ annotations }, {}, { annotations: annotations.slice(4) }])).toEqual([
    { code: 'comments', message: 'Left out: 3 comments by reviewers.' },
  ]);
  expect(remarkWarnings([{}])).toEqual([]);
});
