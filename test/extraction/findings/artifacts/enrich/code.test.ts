import { enrichCode } from '../../../../../extraction/findings/artifacts/enrich/code.ts';
import { processorMs } from '../../../processor-time.ts';

/** `name kind line` of each symbol. */
function symbols(code: string, language: string) {
  return enrichCode(code, language).symbols.map(({ name, kind, line }) => `${name} ${kind} ${line}`);
}

test.each([
  ['ts', 'typescript'],
  ['JS', 'javascript'],
  ['py', 'python'],
  ['console', 'bash'],
  ['c#', 'csharp'],
  ['brainfuck', 'brainfuck'],
])('the fence %s declares %s', (fence, language) => {
  expect(enrichCode('x', fence)).toMatchObject({ language, languageGuessed: false });
});

test.each([
  ['python', 'def add(a, b):\n    return a + b\n'],
  ['python', 'import os\n\nfor name in os.listdir("."):\n    print(name)\n'],
  ['javascript', "const fs = require('fs');\nmodule.exports = function () {};\n"],
  ['javascript', 'const sum = (a, b) => a + b;\nconsole.log(sum(1, 2));\n'],
  ['typescript', 'export interface Point {\n  x: number;\n}\nconst origin: Point = { x: 0 };\n'],
  ['go', 'package main\n\nfunc main() {\n\tx := 1\n}\n'],
  ['rust', 'fn main() {\n    let mut x = 1;\n    println!("{x}");\n}\n'],
  ['java', 'public class Main {\n  public static void main(String[] args) {\n    System.out.println("x");\n  }\n}\n'],
  ['csharp', 'using System;\n\nnamespace App;\n\npublic class Point { public int X { get; set; } }\n'],
  ['c', '#include <stdio.h>\n\nint main(void) { return 0; }\n'],
  ['cpp', '#include <vector>\n\nint main() { std::vector<int> v; }\n'],
  ['php', '<?php\necho "x";\n'],
  ['ruby', "require 'json'\n\ndef greet(name)\n  puts name\nend\n"],
  ['sql', 'select id, name\nfrom users\nwhere id = 1;\n'],
  ['json', '{"a": [1, 2]}'],
  ['html', '<!DOCTYPE html>\n<html><body><p>x</p></body></html>\n'],
  ['css', '.card {\n  color: red;\n}\n'],
  ['bash', '#!/usr/bin/env bash\nset -e\n'],
  ['bash', 'npm install\nnpm test\n'],
  ['yaml', 'name: test\non:\n  push:\n    branches: [main]\n'],
])('%s is recognised', (language, code) => {
  expect(enrichCode(code, null)).toMatchObject({ language, languageGuessed: true });
});

test.each([['a = 1'], ['Some words about nothing.'], ['1\n2\n3\n'], ['']])('%j could be anything', (code) => {
  expect(enrichCode(code, null)).toEqual({ language: null, languageGuessed: false, symbols: [] });
});

test('without a language in the fence, the language is guessed', () => {
  expect(enrichCode('def add(a, b):\n    return a\n', 'text')).toMatchObject({ language: 'python' });
});

test('TypeScript: functions, classes and types, but none in comments and strings', () => {
  const code = `// function no() {}
/* class No {}
   interface NoNo {} */
export default async function* main<T>(x: T) {
  const text = \`
function inTemplate() {}
\`;
}
export abstract class Shape<T> {}
export const area = (s: Shape<(x: number) => void>): number => 1;
const limit = 5;
type Id = string;
interface Point { x: number }
const enum Color { Red }
let later = async x => x;
`;
  expect(symbols(code, 'ts')).toEqual([
    'main function 4',
    'Shape class 9',
    'area function 10',
    'Id type 12',
    'Point interface 13',
    'Color enum 14',
    'later function 15',
  ]);
});

test('Python: methods and functions are distinguished', () => {
  const code = `"""
def no(): pass
"""
class Cat(Animal):
    def meow(self):
        pass

async def main():
    pass
`;
  expect(symbols(code, 'python')).toEqual(['Cat class 4', 'meow method 5', 'main function 8']);
});

test.each([
  [
    'go',
    'func Do() {}\nfunc (s *Server) Run() {}\ntype Server struct {}\ntype R interface {}\n',
    ['Do function 1', 'Run method 2', 'Server type 3', 'R interface 4'],
  ],
  [
    'rust',
    "pub fn go<'a>(x: &'a str) {}\nstruct P;\nenum E {}\npub(crate) trait T {}\n",
    ['go function 1', 'P type 2', 'E enum 3', 'T interface 4'],
  ],
  [
    'java',
    'public final class A {\n  private List<String> names() {\n    call(1);\n    return null;\n  }\n}\nenum E {}\n',
    ['A class 1', 'names method 2', 'E enum 7'],
  ],
  [
    'csharp',
    'internal sealed class A\n{\n  public async Task<int> RunAsync(int x)\n  {\n  }\n}\n',
    ['A class 1', 'RunAsync method 3'],
  ],
  ['kotlin', 'data class P(val x: Int)\nfun main() {}\n', ['P class 1', 'main function 2']],
  [
    'c',
    'static int add(int a,\n               int b)\n{\n  if (a) return add(a, b);\n}\nstruct node {\n};\n',
    ['add function 1', 'node type 6'],
  ],
  ['ruby', 'module M\n  class C\n    def ok?\n    end\n  end\nend\n', ['M module 1', 'C class 2', 'ok? method 3']],
  ['php', '<?php\nfinal class A {\n  public function go() {}\n}\n', ['A class 2', 'go function 3']],
  ['sh', 'go() {\n  echo x\n}\nfunction stop {\n}\n', ['go function 1', 'stop function 4']],
  [
    'sql',
    'CREATE TABLE IF NOT EXISTS "users" (id int);\ncreate or replace function f() returns int\n',
    ['users table 1', 'f function 2'],
  ],
])('%s', (language, code, expected) => {
  expect(symbols(code, language)).toEqual(expected);
});

test.each([
  ['comments that never end', '/*'.repeat(100_000)],
  ['strings that never end', '"'.repeat(200_001)],
  ['backticks', '`\n'.repeat(100_000)],
  ['open brackets', `const f = ${'('.repeat(200_000)}`],
  ['one long line', 'a '.repeat(120_000)],
  ['many short lines', 'function f() {}\n'.repeat(15_000)],
])('%s take less than 5 s of processor time in eight languages', (_, code) => {
  const languages = ['ts', 'py', 'java', 'rust', 'c', 'sql', 'ruby', null];
  expect(processorMs(() => languages.map((language) => enrichCode(code, language)))).toBeLessThan(5_000);
});

test('at most 1,000 symbols are listed', () => {
  expect(enrichCode('def f(): pass\n'.repeat(1_500), 'py').symbols).toHaveLength(1_000);
});
