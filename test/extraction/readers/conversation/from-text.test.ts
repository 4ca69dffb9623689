import { conversationFromText } from '../../../../extraction/readers/conversation/from-text.ts';

const expected = '## User\n\nHow do I boil water?\n\n## ChatGPT\n\nHeat it.\n\n## User\n\nThanks';

test.each([
  ['User:', 'ChatGPT:'],
  ['User', 'ChatGPT'].map((name) => `**${name}:**`),
  ['User', 'ChatGPT'].map((name) => `**${name}**:`),
  ['## User\n', '## ChatGPT\n'],
  ['### **User**\n', '### **ChatGPT**:\n'],
  ['You said:\n', 'ChatGPT said:\n'],
  ['You said\n', 'ChatGPT said\n'],
  ['Human:', 'chatgpt:'],
  ['**You**\n\n', '**ChatGPT**\n\n'],
  ['[User]:', '[ChatGPT]:'],
  ['User (10:31):', 'ChatGPT (10:32):'],
])('turns labelled %j and %j become headings', (user, assistant) => {
  const text = `${user} How do I boil water?\n\n${assistant} Heat it.\n\n---\n\n${user} Thanks\n`;
  expect(conversationFromText(text)?.markdown).toBe(expected);
});

test('an assistant keeps its name, "Human" and "You" are the user', () => {
  const { markdown } = conversationFromText('Human: hi\n\nClaude: hello\n\nSystem: be nice') ?? { markdown: '' };
  expect(markdown.match(/^## .*/gm)).toEqual(['## User', '## Claude', '## System']);
});

test('code fences are kept unchanged, labels inside them are text', () => {
  const code = '```\nUser: not a turn\nAssistant: neither\n# not a heading\n```';
  const { markdown } = conversationFromText(`User: look\n\n${code}\n\nAssistant: # Big\n\nok`) ?? { markdown: '' };
  expect(markdown).toBe(`## User\n\nlook\n\n${code}\n\n## Assistant\n\n### Big\n\nok`);
});

test('an unclosed fence swallows no turn', () => {
  const { markdown } = conversationFromText('User: look\n```js\nlet x\nAssistant: ok') ?? { markdown: '' };
  expect(markdown).toBe('## User\n\nlook\n```js\nlet x\n```\n\n## Assistant\n\nok');
});

test('a title before the first turn is kept as the title', () => {
  const result = conversationFromText('# About water\n\nExported today\n\nUser: hi\n\nAssistant: ho');
  expect(result?.title).toBe('About water');
  expect(result?.markdown).toBe('# About water\n\nExported today\n\n## User\n\nhi\n\n## Assistant\n\nho');
});

test.each([
  'Name: Bob\nUser: bob\nPassword: none\n',
  'User: only the user speaks\n\nUser: again',
  'Alice: hi\n\nBob: hello',
  `${'A long article. '.repeat(200)}\n\nUser: quoted\n\nAssistant: quoted\n`,
  'The user: is mentioned. And the assistant: too.',
])('%j is not a conversation', (text) => {
  expect(conversationFromText(text)).toBeNull();
});
