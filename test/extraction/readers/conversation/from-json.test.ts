import { conversationFromJson } from '../../../../extraction/readers/conversation/from-json.ts';

const turns = '## User\n\nHow?\n\n## Assistant\n\nLike `this`.';
const messages = [
  { role: 'user', content: 'How?' },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Like `this`.' },
      { type: 'tool_use', id: 'x' },
    ],
  },
];

test('message lists, bare or wrapped', () => {
  expect(conversationFromJson(messages)?.markdown).toBe(turns);
  expect(conversationFromJson({ model: 'x', title: 'On how', messages })).toMatchObject({
    title: 'On how',
    markdown: `# On how\n\n${turns}`,
  });
});

test("ChatGPT's export shows the branch that was shown last, without hidden and system messages", () => {
  const message = (role: string, text: string) => ({
    author: { role },
    content: { content_type: 'text', parts: [text] },
  });
  const mapping = {
    root: { id: 'root', parent: null, children: ['s'], message: null },
    s: { parent: 'root', children: ['a'], message: message('system', 'hidden') },
    a: { parent: 's', children: ['old', 'new'], message: message('user', 'How?') },
    old: { parent: 'a', children: [], message: message('assistant', 'Abandoned.') },
    new: { parent: 'a', children: [], message: message('assistant', 'Like this.') },
  };
  const shown = '# Water\n\n## User\n\nHow?\n\n## ChatGPT\n\nLike this.';
  expect(conversationFromJson({ title: 'Water', mapping, current_node: 'new' })?.markdown).toBe(shown);
  expect(conversationFromJson({ title: 'Water', mapping })?.markdown).toBe(shown);
  expect(
    conversationFromJson([
      { title: 'Water', mapping },
      { title: 'Water', mapping },
    ])?.markdown,
  ).toBe(`${shown}\n\n${shown}`);
});

test('a cyclic mapping terminates', () => {
  const mapping = {
    a: { parent: 'b', children: ['b'], message: null },
    b: { parent: 'a', children: ['a'], message: null },
  };
  expect(conversationFromJson({ title: 'x', mapping, current_node: 'a' })?.markdown).toBe('');
});

test("Claude's export", () => {
  const chat = {
    name: 'Water',
    chat_messages: [
      { sender: 'human', text: 'How?' },
      { sender: 'assistant', text: '', content: [{ type: 'text', text: 'So.' }] },
    ],
  };
  expect(conversationFromJson(chat)?.markdown).toBe('# Water\n\n## User\n\nHow?\n\n## Claude\n\nSo.');
});

test('images and files of a message are listed', () => {
  const content = [
    { type: 'image_url', image_url: {} },
    { type: 'text', text: 'What is it?' },
  ];
  expect(conversationFromJson([{ role: 'user', content }])?.markdown).toBe('## User\n\n*(image)*\n\nWhat is it?');
});

test.each([[{ a: 1 }], [[]], [[{ role: 'admin' }, { name: 'x' }]], ['text'], [null]])(
  '%j is not a conversation',
  (value) => {
    expect(conversationFromJson(value)).toBeNull();
  },
);
