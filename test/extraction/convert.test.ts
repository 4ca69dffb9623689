import { readFileSync } from 'node:fs';
import type { Content } from '../../extraction/content.ts';
import { convertToMarkdown } from '../../extraction/convert.ts';
import { defaultLimits } from '../../extraction/limits.ts';
import { contentOf } from './content.ts';
import { makePdf } from './pdf-fixture.ts';

const convert = (data: string | Uint8Array, known: Partial<Content> = {}) =>
  convertToMarkdown(contentOf(data, known), defaultLimits);
const bytes = (...values: number[]) => Uint8Array.from(values);
const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));

/** The beginning of an image of one pixel. */
const png = bytes(
  0x89,
  0x50,
  0x4e,
  0x47,
  13,
  10,
  26,
  10,
  0,
  0,
  0,
  13,
  73,
  72,
  68,
  82,
  0,
  0,
  0,
  1,
  0,
  0,
  0,
  1,
  8,
  6,
  0,
  0,
  0,
  31,
  21,
  196,
  137,
);

describe('the format is detected', () => {
  test.each<[string, string | Uint8Array, Partial<Content>]>([
    ['pdf', makePdf([['Hello']]), { contentType: 'text/plain' }],
    ['html', '<p>Hi', { contentType: 'text/html; charset=utf-8' }],
    ['html', '<!DOCTYPE html><title>x</title><p>Hi', {}],
    [
      'html',
      '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body><p>Hi</p></body></html>',
      {},
    ],
    ['markdown', 'plain', { contentType: 'text/markdown' }],
    ['markdown', 'plain', { filename: 'README.md', contentType: 'application/octet-stream' }],
    ['markdown', 'plain', { url: 'https://example.com/a/README.md?raw=1', contentType: 'text/plain' }],
    ['markdown', '# Title\n\nText', { contentType: 'text/plain' }],
    ['markdown', 'Look at `this` and **that**.', {}],
    ['json', '{"a": 1}', { contentType: 'application/ld+json' }],
    ['json', '[{"a": 1}, {"a": 2}]', { contentType: 'text/plain' }],
    ['json', '{"a": 1}\n{"a": 2}\n', { filename: 'x.jsonl' }],
    ['conversation', 'User: hi\n\nAssistant: hello', { contentType: 'text/plain' }],
    ['conversation', '[{"role": "user", "content": "hi"}]', { filename: 'chat.json' }],
    ['text', 'Just a note: a < b and 2 * 3.', { contentType: 'text/plain' }],
    ['text', 'BMW builds cars, MZ built motorcycles.', {}],
    // Pasted content is text, although a file with the same bytes would not be.
    ['text', 'ding\u0007', { pasted: true }],
    ['text', '%PDF-1.7 begins with 1 0 obj', { pasted: true }],
    ['text', 'MZ is how programs begin.', {}],
    ['text', 'GIF animations are old.', {}],
    ['text', '%PDF-1.4 is how a PDF begins.', {}],
    ['text', '{ not json }', {}],
    ['xml', '<?xml version="1.0"?><notes><a>1</a></notes>', {}],
    ['csv', 'a,b\n1,2\n', { contentType: 'text/csv' }],
    ['csv', 'name;city;age\nJo;Linz;3\nMia;Graz;5\n', {}],
    ['tsv', 'name\tcity\nJo\tLinz\n', {}],
    ['text', 'One, two, three.\nFour, five, six.\nSeven, eight, nine.', {}],
    ['yaml', 'a: 1', { filename: 'values.yml' }],
    ['yaml', 'kind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n    - 80\n', {}],
    ['text', 'Name: Bob\nUser: bob\nPassword: none\n', {}],
    ['code', 'body { color: red }', { filename: 'site.css', contentType: 'application/octet-stream' }],
    ['code', 'body { color: red }', { contentType: 'text/css' }],
    ['code', '<!DOCTYPE html><p><?= $x ?>', { filename: 'index.php' }],
    ['code', 'FROM node:24', { filename: 'Dockerfile' }],
    ['code', '#!/usr/bin/env python3\nprint(1)\n', {}],
    ['image', '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="1"/>', { contentType: 'image/svg+xml' }],
    ['image', '<svg><text>Hi</text></svg>', {}],
    ['image', png, { contentType: 'text/plain' }],
    ['ipynb', '{"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "markdown", "source": "Hi"}]}', {}],
    ['rss', '<rss version="2.0"><channel><title>x</title></channel></rss>', { contentType: 'text/xml' }],
    ['atom', '<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title></feed>', {}],
    ['xml', '<a><b>1</b></a>', { filename: 'data.xml' }],
    ['srt', '1\n00:00:01,000 --> 00:00:02,000\nHi\n', { contentType: 'text/plain' }],
    ['vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n', {}],
  ])('%s', async (format, data, known) => {
    expect((await convert(data, known)).format).toBe(format);
  });
});

describe('the error names the unreadable format', () => {
  const zip = bytes(
    0x50,
    0x4b,
    3,
    4,
    20,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    97,
  );
  test.each<[RegExp, Uint8Array, Partial<Content>]>([
    [/a Word document of a version before 2007, .* Save it as \.docx/, zip, { filename: 'Letter.doc' }],
    [/an archive/, zip, { filename: 'x.zip' }],
    [/a word processor document/, zip, { filename: 'Report.DOCX' }],
    [
      /an image \(image\/vnd.adobe.photoshop\)/,
      latin1('8BPS\0\x01\0\0\0\0\0\0\0\x03\0\0\0\x01\0\0\0\x01\0\x08\0\x03'),
      {},
    ],
    [
      /a program/,
      bytes(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 62, 0),
      { contentType: 'text/plain' },
    ],
    [/a binary file/, bytes(1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 0xff, 0xfd, 1), {}],
  ])('%s', async (message, data, known) => {
    await expect(convert(data, known)).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringMatching(message),
    });
  });

  test('an encrypted PDF', async () => {
    const encrypted = readFileSync(new URL('../fixtures/encrypted.pdf', import.meta.url));
    await expect(convert(encrypted)).rejects.toMatchObject({ code: 'file_encrypted' });
  });

  test.each<[string, string | Uint8Array, Partial<Content>]>([
    ['a PDF cut in two', makePdf([['Hello']]).subarray(0, 400), {}],
    ['a file called a PDF', 'Not a PDF', { contentType: 'application/pdf' }],
    ['a PDF of garbage', '%PDF-1.7 garbage', { filename: 'x.pdf' }],
    ['JSON that breaks off', '{"a": ', { contentType: 'application/json' }],
  ])('%s is damaged', async (_, data, known) => {
    await expect(convert(data, known)).rejects.toMatchObject({ code: 'file_damaged' });
  });

  test.each<[string, string | Uint8Array, Partial<Content>]>([
    ['no bytes', '', {}],
    ['white space', ' \n\t\r\n', {}],
    ['a byte order mark', bytes(0xef, 0xbb, 0xbf), {}],
    ['a page without text', '<html><body><script>app()</script><img src="x.png"></body></html>', {}],
    ['a PDF without text', makePdf([[]]), {}],
    ['JSON without values', '{}', { contentType: 'application/json' }],
    ['a conversation without messages', '[{"role": "user", "content": ""}]', {}],
  ])('%s is empty', async (_, data, known) => {
    await expect(convert(data, known)).rejects.toMatchObject({ code: 'content_empty' });
  });

  test('the message for a PDF of images mentions images', async () => {
    await expect(convert(makePdf([[]]))).rejects.toThrow(/PDF has no text/);
  });
});

describe('the encoding is detected', () => {
  const german = 'Größe und Übermut tun selten gut, sagt man in Österreich häufig.';
  const utf16 = (text: string) => Uint8Array.from(Buffer.from(text, 'utf16le'));
  const swapped = (data: Uint8Array) => Uint8Array.from(Buffer.from(data).swap16());
  test.each<[string, Uint8Array, Partial<Content>, string]>([
    [
      'UTF-8 declared as Latin-1',
      new TextEncoder().encode(german),
      { contentType: 'text/plain; charset=iso-8859-1' },
      german,
    ],
    ['UTF-8 with a mark', bytes(0xef, 0xbb, 0xbf, 0x61), {}, 'a'],
    ['UTF-16LE with a mark', Uint8Array.from([0xff, 0xfe, ...utf16(german)]), {}, german],
    ['UTF-16BE with a mark', Uint8Array.from([0xfe, 0xff, ...swapped(utf16(german))]), {}, german],
    ['UTF-16LE without one', utf16(german), {}, german],
    ['UTF-16BE without one', swapped(utf16(german)), {}, german],
    ['declared Latin-1', latin1(german), { contentType: 'text/plain; charset="ISO-8859-1"' }, german],
    ['undeclared Latin-1', latin1(german), {}, german],
    ['Latin-1 declared as UTF-8', latin1(german), { contentType: 'text/plain; charset=utf-8' }, german],
    ['an unknown charset', latin1(german), { contentType: 'text/plain; charset=x-nothing' }, german],
    // "日本語テキスト" by Python's encode('shift_jis') and encode('iso2022_jp').
    [
      'declared Shift_JIS',
      bytes(0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x83, 0x65, 0x83, 0x4c, 0x83, 0x58, 0x83, 0x67),
      { contentType: 'text/plain; charset=Shift_JIS' },
      '日本語テキスト',
    ],
    ['ISO-2022-JP', latin1('\u001b$BF|K\\8l%F%-%9%H\u001b(B'), {}, '日本語テキスト'],
  ])('%s', async (_, data, known, text) => {
    expect((await convert(data, known)).markdown).toBe(`${text}\n`);
  });

  test('of an HTML page by its meta element', async () => {
    const page = latin1(`<html><head><meta charset="iso-8859-1"></head><body><p>${german}</p></body></html>`);
    expect((await convert(page)).markdown).toBe(`${german}\n`);
  });

  test('line endings are normalised, and U+0000 is removed', async () => {
    const { markdown } = await convert(`a\r\nb\rc${' padding'.repeat(300)}\u0000d`);
    expect(markdown.startsWith('a\nb\nc')).toBe(true);
    expect(markdown).not.toContain('\u0000');
    expect(markdown).toContain('\uFFFDd');
  });
});

test('text above the limit of a source ends as extraction_limit', async () => {
  await expect(convert('some words\n'.repeat(2_000_000))).rejects.toMatchObject({ code: 'extraction_limit' });
});
