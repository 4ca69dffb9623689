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

test('what was typed onto a page is a line where it stands', () => {
  expect(typedLines({ annotations }).map(({ text, box }) => [text, box])).toEqual([['Approved in May', rect]]);
  expect(typedLines({})).toEqual([]);
});

test('remarks of reviewers are counted over all pages', () => {
  expect(remarkWarnings([{ annotations }, {}, { annotations: annotations.slice(4) }])).toEqual([
    { code: 'comments', message: '3 comments of reviewers left out.' },
  ]);
  expect(remarkWarnings([{}])).toEqual([]);
});
