import { ipynb } from '../../../../extraction/readers/formats/ipynb.ts';
import { readAs } from '../../content.ts';

const notebook = (cells: unknown[], metadata: unknown = { language_info: { name: 'python' } }) =>
  JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells });
const code = (source: string, ...outputs: unknown[]) => ({ cell_type: 'code', source, outputs });

test('cells are parts in order, with their outputs', async () => {
  const { markdown, parts } = await readAs(
    ipynb,
    notebook([
      { cell_type: 'markdown', source: ['# Sales\n', 'By *region*.'] },
      code('print(1)', { output_type: 'stream', name: 'stdout', text: ['1\n', '2\n'] }),
      code('df', {
        output_type: 'execute_result',
        data: {
          'text/html': [
            '<div><style>x</style><table><thead><tr><th></th><th>n</th></tr></thead><tbody><tr><th>0</th><td>5</td></tr></tbody></table></div>',
          ],
          'text/plain': '   n\n0  5',
        },
      }),
      code(''),
      code('1/0', {
        output_type: 'error',
        ename: 'ZeroDivisionError',
        evalue: 'division by zero',
        traceback: ['\u001b[0;31m...'],
      }),
      { cell_type: 'raw', source: 'raw' },
    ]),
  );
  expect(markdown).toBe(
    [
      '# Sales\nBy *region*.',
      '```python\nprint(1)\n```\n\n```text\n1\n2\n```',
      '```python\ndf\n```\n\n|  | n |\n| --- | --- |\n| 0 | 5 |',
      '```python\n1/0\n```\n\n```text\nZeroDivisionError: division by zero\n```',
      '```\nraw\n```',
    ].join('\n\n'),
  );
  expect(parts?.unit).toBe('cell');
  expect(parts?.starts.map((start) => markdown.slice(start).split('\n')[0])).toEqual([
    '# Sales',
    '```python',
    '```python',
    '```python',
    '```',
  ]);
});

test('images are counted, colour codes and overwritten lines are removed', async () => {
  const { markdown, warnings } = await readAs(
    ipynb,
    notebook([
      { cell_type: 'markdown', source: 'See ![the map](attachment:a.png) here.' },
      code(
        'plot()',
        {
          output_type: 'display_data',
          data: { 'image/png': 'iVBORw0=', 'text/plain': '<Figure size 1x1 with 1 Axes>' },
        },
        { output_type: 'stream', text: '10%\r50%\r100%\n\u001b[32mok\u001b[0m\n' },
      ),
    ]),
  );
  expect(markdown).toBe('See *(image: the map)* here.\n\n```python\nplot()\n```\n\n```text\n100%\nok\n```');
  expect(warnings).toEqual([{ code: 'images_left_out', message: expect.stringContaining('2 images') }]);
});

test('magics and kernels give the language', async () => {
  expect((await readAs(ipynb, notebook([code('%%bash\nls')]))).markdown).toMatch(/^```bash\n/);
  expect((await readAs(ipynb, notebook([code('x <- 1')], { kernelspec: { name: 'ir' } }))).markdown).toMatch(/^```r\n/);
});

test('notebooks of nbformat 3', async () => {
  const old = {
    nbformat: 3,
    metadata: {},
    worksheets: [
      {
        cells: [
          { cell_type: 'heading', level: 2, source: 'Old' },
          { cell_type: 'markdown', source: ['One', '', '* two'] },
          {
            cell_type: 'code',
            input: ['x', 'y'],
            language: 'python',
            outputs: [{ output_type: 'pyout', html: '<p>A <b>table</b></p>', text: '<object>' }],
          },
        ],
      },
    ],
  };
  expect((await readAs(ipynb, JSON.stringify(old))).markdown).toBe(
    '## Old\n\nOne\n\n* two\n\n```python\nx\ny\n```\n\nA **table**',
  );
});

test('a file that is not a notebook is damaged', async () => {
  await expect(readAs(ipynb, '{"nbformat": 4, "cells": 3}')).rejects.toMatchObject({ code: 'file_damaged' });
});
