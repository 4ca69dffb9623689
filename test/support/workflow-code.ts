/** The code that a run's history depends on: the workflows and all that they import of the project. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const project = new URL('../../', import.meta.url);

/** Where the fingerprint of the code stands by which the histories were recorded. */
export const fingerprintFile = new URL('test/histories/workflow-code.sha256', project);

/** A module without its types, comments and line breaks: these change no history. */
async function codeOf(file: URL): Promise<string> {
  const { code } = await transform(await readFile(file, 'utf8'), {
    filename: fileURLToPath(file),
    jsc: {
      parser: { syntax: 'typescript' },
      target: 'es2022',
      minify: { compress: false, mangle: false, format: { comments: false } },
    },
    module: { type: 'es6' },
    minify: true,
  });
  return code;
}

/** SHA-256 (hex) of the workflows and, however deep, of what they import from the project; types do not count. */
export async function fingerprint(): Promise<string> {
  const codes = new Map<string, string>();
  const left = [new URL('workflows/index.ts', project)];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (codes.has(file.href)) continue;
    const code = await codeOf(file);
    codes.set(file.href, code);
    for (const [, path = ''] of code.matchAll(/from\s*["'](\.[^"']+)["']/g)) left.push(new URL(path, file));
  }
  const hash = createHash('sha256');
  for (const [href, code] of [...codes].sort()) hash.update(`${href.slice(project.href.length)}\n${code}\n`);
  return hash.digest('hex');
}
