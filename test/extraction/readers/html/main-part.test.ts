/** Criteria for the main part of a page other than names. */

import { defaultLimits } from '../../../../extraction/limits.ts';
import { readPage } from '../../../../extraction/readers/html/page.ts';

const paragraph = (about: string) =>
  `<p>The ${about} is told here in some words, commas included, so that a reader view takes it for a part of an article, which it is. A second sentence, with more commas, follows it.</p>`;
const story = ['harbour', 'ferry', 'island', 'lighthouse', 'storm'].map(paragraph).join('\n');
const read = (body: string) =>
  readPage(
    `<html><head><title>The crossing</title></head><body>${body}</body></html>`,
    'https://example.com/a/b',
    defaultLimits,
  ).markdown;

test('the paragraph between heading and article belongs to it, the date line does not', () => {
  const markdown = read(
    `<div class="head"><h1>The crossing</h1><div class="intro"><p>In short, the ferry left the harbour before the storm came, and nobody saw it again until noon.</p></div><div class="info">12 May 2024</div></div><div class="text">${story}</div>`,
  );
  expect(markdown).toMatch(/^# The crossing\n\nIn short, the ferry left/);
  expect(markdown).toContain('storm is told here');
  expect(markdown).not.toContain('12 May 2024');
});

test('a section of prose stays, though its name says advertisement or lightbox', () => {
  const sections = ['verdict', 'equipment', 'result']
    .map((name) => `<section class="Test__Section Test__Section--Ads">${paragraph(name).repeat(4)}</section>`)
    .join('');
  expect(read(`<article><h1>The crossing</h1>${story}${sections}</article>`)).toContain('The verdict is told here');
});

test('all slides of a carousel are read, hidden parts are not', () => {
  const slides = ['first', 'second', 'third', 'fourth']
    .map((name) => `<div class="slide" style="display: none">${paragraph(`${name} slide`).repeat(2)}</div>`)
    .join('');
  const markdown = read(
    `<article><h1>The crossing</h1>${paragraph('harbour')}${slides}</article><div style="display:none">${paragraph('hidden box')}</div>`,
  );
  expect(markdown).toContain('The third slide is told');
  expect(markdown).not.toContain('hidden box');
});

const cards = ['one', 'two', 'three', 'four']
  .map(
    (name) =>
      `<div class="tile"><a href="/b/${name}"><img src="/${name}.jpg" alt=""><h3>What happened to number ${name}</h3></a></div>`,
  )
  .join('');

test('cards that link to other pages of the site are removed with their heading if the page has prose', () => {
  const tiles = `<div class="row"><h2>Continue here</h2><div>${cards}</div></div>`;
  const markdown = read(`<main><h1>The crossing</h1>${story}${tiles}</main>`);
  expect(markdown).not.toMatch(/number one|Continue here/);
  expect(read(`<main><h1>All crossings</h1>${tiles}</main>`)).toContain('What happened to number one');
});

test('a paragraph with only a link to another page of the site does not belong to an article', () => {
  const markdown = read(
    `<article><h1>The crossing</h1>${story}<p><a href="/other">Another ferry that never arrived</a></p>${paragraph('rescue')}<p>The list of names:</p><p><a href="/names">All who were on board that day</a></p><p><a href="https://coast.example/report">Report of the coast guard of May</a></p></article>`,
  );
  expect(markdown).not.toContain('never arrived');
  expect(markdown).toContain('[All who were on board that day]');
  expect(markdown).toContain('[Report of the coast guard of May]');
});

test('an article is found in a page with more labels and menus than text', () => {
  const labels = Array.from({ length: 400 }, (_, index) => `<div><span>Label ${index}</span></div>`).join('');
  const markdown = read(`<div>${labels}</div><div><h2>The crossing</h2>${story.repeat(2)}</div><div>${labels}</div>`);
  expect(markdown).toContain('storm is told here');
  expect(markdown).not.toContain('Label 7');
});

test('links within a sentence, a table of facts and the captions of a gallery stay', () => {
  const name = (text: string) => `<a href="/wiki/${text}">The honourable ${text}</a>`;
  const gallery = ['pier', 'mast', 'rope']
    .map(
      (text) =>
        `<li><a href="/file/${text}"><img src="/${text}.jpg" alt="${text}"></a> Seen from the north: ${name(text)} in spring, with all its neighbours</li>`,
    )
    .join('');
  const markdown = read(
    `<main><h1>The crossing</h1>${story}<p>It was built by ${name('Ann')}, ${name('Bo')}, ${name('Cy')} and ${name('Di')} in the old yard.</p><table><tr><th>Master</th><td>${name('Ed')}</td></tr><tr><th>Mate</th><td>${name('Flo')}</td></tr><tr><th>Cook</th><td>${name('Gus')}</td></tr></table><ul>${gallery}</ul>${story}</main>`,
  );
  for (const text of ['Ann', 'Bo', 'Cy', 'Di', 'Ed', 'Flo', 'Gus', 'pier', 'mast', 'rope'])
    expect(markdown).toContain(`[The honourable ${text}](https://example.com/wiki/${text})`);
});
