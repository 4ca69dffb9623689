import { conversationFromJson } from '../../../../extraction/readers/conversation/from-json.ts';
import { conversationFromText } from '../../../../extraction/readers/conversation/from-text.ts';

const asked = { role: 'user', content: 'How?' };
const shown = '## User\n\nHow?\n\n## Assistant\n\nSo.';

test.each<[string, unknown]>([
  [
    'LangChain, stored',
    [
      { type: 'human', data: { content: 'How?' } },
      { type: 'ai', data: { content: 'So.' } },
    ],
  ],
  [
    'LangChain, serialised',
    [
      { id: ['langchain', 'HumanMessage'], kwargs: { content: 'How?' } },
      { id: ['langchain', 'AIMessage'], kwargs: { content: [{ type: 'text', text: 'So.' }] } },
    ],
  ],
  [
    'OpenAI, asked and answered',
    {
      input: 'How?',
      output: [
        { type: 'reasoning', summary: [] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So.' }] },
      ],
    },
  ],
  ['Open WebUI', [{ chat: { messages: [asked, { role: 'assistant', content: 'So.' }], history: {} } }]],
  ['OpenAI', [asked, { role: 'assistant', content: 'So.' }]],
  [
    'OpenAI, in parts',
    {
      messages: [
        { role: 'user', content: [{ type: 'input_text', text: 'How?' }] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'So.' }] },
      ],
    },
  ],
  [
    'Anthropic, with thinking',
    {
      model: 'x',
      messages: [
        asked,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.' },
            { type: 'text', text: 'So.' },
          ],
        },
      ],
    },
  ],
  [
    'Gemini',
    {
      contents: [
        { role: 'user', parts: [{ text: 'How?' }] },
        { role: 'model', parts: [{ text: 'So.' }] },
      ],
    },
  ],
  [
    'Gemini, bare',
    [
      { role: 'user', parts: [{ text: 'How?' }] },
      { role: 'model', parts: [{ text: 'So.' }] },
    ],
  ],
  [
    'AI Studio',
    {
      chunkedPrompt: {
        chunks: [
          { role: 'user', text: 'How?' },
          { role: 'model', text: 'Hm.', isThought: true },
          { role: 'model', text: 'So.' },
        ],
      },
    },
  ],
  [
    'ShareGPT',
    {
      conversations: [
        { from: 'human', value: 'How?' },
        { from: 'gpt', value: 'So.' },
      ],
    },
  ],
  ['prompt and completion', { prompt: 'How?', completion: 'So.' }],
  ['instruction and output', { instruction: 'How?', input: '', output: 'So.' }],
  [
    'a session log',
    [
      { type: 'summary' },
      { type: 'user', message: asked },
      { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'So.' }] } },
    ],
  ],
])('%s', (_, value) => {
  expect(conversationFromJson(value)?.markdown).toBe(shown);
});

test('each line of a training file is a conversation, and turns point at their headings', () => {
  const lines = Array.from({ length: 3 }, () => ({
    messages: [{ role: 'system', content: 'Be brief.' }, asked, { role: 'assistant', content: '# So\n\nis it.' }],
  }));
  const { markdown, turns } = conversationFromJson(lines) ?? { markdown: '' };
  expect(markdown.match(/^# Conversation \d/gm)).toEqual(['# Conversation 1', '# Conversation 2', '# Conversation 3']);
  expect(turns?.map(({ start, speaker }) => markdown.startsWith(`## ${speaker}\n`, start))).toEqual(
    Array(9).fill(true),
  );
  expect(turns?.slice(0, 3).map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
});

test('tool calls and their results are turns', () => {
  const openai = conversationFromJson([
    asked,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: '1', function: { name: 'search', arguments: '{"q": "how"}' } }],
    },
    { role: 'tool', content: 'Found 2.' },
    { role: 'assistant', content: 'So.' },
  ]);
  expect(openai?.markdown).toBe(
    '## User\n\nHow?\n\n## Assistant\n\n*(tool: search)*\n\n```json\n{\n  "q": "how"\n}\n```\n\n## Tool\n\nFound 2.\n\n## Assistant\n\nSo.',
  );
  expect(openai?.turns?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  const anthropic = conversationFromJson([
    asked,
    { role: 'assistant', content: [{ type: 'tool_use', name: 'ls', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', content: 'a.txt' }] },
  ]);
  expect(anthropic?.markdown).toBe('## User\n\nHow?\n\n## Assistant\n\n*(tool: ls)*\n\n## Tool\n\n```text\na.txt\n```');
});

test("ChatGPT's export with files, code and pages that it read", () => {
  const nodes: Record<string, unknown>[] = [
    {
      author: { role: 'user' },
      content: { content_type: 'multimodal_text', parts: [{ content_type: 'image_asset_pointer' }, 'Plot it.'] },
      metadata: { attachments: [{ name: 'data.csv' }] },
    },
    { author: { role: 'assistant' }, content: { content_type: 'thoughts', thoughts: [] } },
    { author: { role: 'assistant' }, recipient: 'python', content: { content_type: 'code', text: 'plot()' } },
    { author: { role: 'tool', name: 'python' }, content: { content_type: 'execution_output', text: 'done' } },
    {
      author: { role: 'assistant' },
      recipient: 'all',
      content: { content_type: 'text', parts: ['Here【4†source】 it is.'] },
    },
  ];
  const mapping = Object.fromEntries(
    nodes.map((message, at) => [
      `n${at}`,
      { parent: at === 0 ? null : `n${at - 1}`, children: [`n${at + 1}`], message },
    ]),
  );
  const result = conversationFromJson({ title: 'Plot', create_time: 1714550400, mapping, current_node: 'n4' });
  expect(result?.markdown).toBe(
    '# Plot\n\n## User\n\n*(file: data.csv)*\n\n*(image)*\n\nPlot it.\n\n## ChatGPT\n\n```python\nplot()\n```\n\n## Tool\n\n```text\ndone\n```\n\n## ChatGPT\n\nHere it is.',
  );
  expect(result?.about?.publishedAt).toBe('2024-05-01T08:00:00.000Z');
});

test("Claude's export with attachments and an artifact", () => {
  const result = conversationFromJson({
    name: 'Hi',
    chat_messages: [
      {
        sender: 'human',
        text: 'Look.',
        attachments: [{ file_name: 'a.txt', extracted_content: 'one' }],
        files: [{ file_name: 'b.png' }],
      },
      {
        sender: 'assistant',
        text: '<antArtifact identifier="x" type="application/vnd.ant.code" language="python" title="Sum">print(1)</antArtifact>Done.',
      },
    ],
  });
  expect(result?.markdown).toBe(
    '# Hi\n\n## User\n\n*(file: b.png)*\n\n*(file: a.txt)*\n\n```text\none\n```\n\nLook.\n\n## Claude\n\n**Sum**\n\n```python\nprint(1)\n```\n\nDone.',
  );
});

test.each([
  ['You said:', 'ChatGPT said:'],
  ['Sie sagten:', 'ChatGPT hat gesagt:'],
  ['Vous avez dit :', 'ChatGPT a dit :'],
  ['You said', 'Gemini said'],
  ['You said:', 'Claude responded:'],
  ['<|im_start|>user', '<|im_start|>assistant'],
  ['ユーザー：', 'ChatGPT：'],
])('a copied page: %s, %s', (user, assistant) => {
  const text = `${user}\nHow?\n\n${assistant}\nThought for 5 seconds\n\npython\nCopy code\nSo.\n\nChatGPT can make mistakes. Check important info.`;
  const { markdown, turns } = conversationFromText(text) ?? { markdown: '' };
  expect(turns?.map(({ role, start, speaker }) => [role, markdown.startsWith(`## ${speaker}\n\n`, start)])).toEqual([
    ['user', true],
    ['assistant', true],
  ]);
  expect(markdown).not.toMatch(/Copy code|Thought for|mistakes/);
});

test('turns point at their headings after a title and an introduction', () => {
  const { markdown, turns } = conversationFromText(
    '# Tea\n\nExported.\n\n**User:** How?\n\n**Claude:** # So\n\n**User:** Ok',
  ) ?? { markdown: '' };
  expect(turns?.map(({ start }) => markdown.slice(start, start + 7))).toEqual(['## User', '## Clau', '## User']);
});

test.each<[string, unknown, string]>([
  [
    'LibreChat',
    {
      title: 'Trees',
      messages: [
        { sender: 'User', text: 'How?', isCreatedByUser: true },
        { sender: 'GPT-4', text: 'So.', isCreatedByUser: false },
      ],
    },
    'GPT-4',
  ],
  [
    'Grok',
    {
      conversations: [
        {
          conversation: { title: 'Trees' },
          responses: [
            { response: { sender: 'human', message: 'How?' } },
            { response: { sender: 'ASSISTANT', message: 'So.' } },
          ],
        },
      ],
    },
    'Grok',
  ],
  [
    'DeepSeek',
    [
      {
        title: 'Trees',
        mapping: {
          root: { parent: null, children: ['a'], message: null },
          a: { parent: 'root', children: ['b'], message: { fragments: [{ type: 'REQUEST', content: 'How?' }] } },
          b: {
            parent: 'a',
            children: [],
            message: {
              fragments: [
                { type: 'THINK', content: 'Hm.' },
                { type: 'RESPONSE', content: 'So.' },
              ],
            },
          },
        },
      },
    ],
    'DeepSeek',
  ],
])('the export of %s', (_, value, assistant) => {
  expect(conversationFromJson(value)?.markdown).toBe(`# Trees\n\n## User\n\nHow?\n\n## ${assistant}\n\nSo.`);
});

test('the log of a coding agent with messages, tool calls and results', () => {
  const lines = [
    { type: 'session_meta', payload: { id: '1' } },
    { payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'How?' }] } },
    { payload: { type: 'function_call', name: 'run_code', arguments: '{"code":"a = 1\\nprint(a)","times":2}' } },
    { payload: { type: 'function_call_output', output: '1' } },
    { payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So.' }] } },
  ];
  expect(conversationFromJson(lines)?.markdown).toBe(
    '## User\n\nHow?\n\n## Assistant\n\n*(tool: run_code)*\n\n```json\n{\n  "times": 2\n}\n```\n\n```text\na = 1\nprint(a)\n```\n\n' +
      '## Tool\n\n```text\n1\n```\n\n## Assistant\n\nSo.',
  );
});

test.each([
  ['## 🧑 User', '## 🤖 Assistant'],
  ['_**User**_', '_**Assistant**_'],
  ['**User**', '**Cursor**'],
])('%s and %s on separate lines name the speakers', (user, assistant) => {
  const { turns } = conversationFromText(`${user}\n\nHow?\n\n---\n\n${assistant}\n\nSo.`) ?? {};
  expect(turns?.map(({ role }) => role)).toEqual(['user', 'assistant']);
});

test('common words before colons are not speakers', () => {
  expect(conversationFromText('user: anna\ncursor: block\n')).toBeNull();
});
