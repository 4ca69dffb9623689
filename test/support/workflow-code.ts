/** Fingerprint of the code that a run's history depends on: the workflows and their imports from the project. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const project = new URL('../../', import.meta.url);

/** File with the fingerprint of the code that the histories were recorded with. */
export const fingerprintFile = new URL('test/histories/workflow-code.sha256', project);

/** Returns a module without types, comments and line breaks, which do not affect histories. */
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

/** SHA-256 (hex) of the workflows and their transitive imports from the project, without types. */
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
