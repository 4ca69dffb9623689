import { detectFormat } from '../../../../extraction/detection/detect.ts';
import { srt } from '../../../../extraction/readers/formats/srt.ts';
import { vtt } from '../../../../extraction/readers/formats/vtt.ts';
import { contentOf, readAs } from '../../content.ts';

test('cues become paragraphs with their times', async () => {
  const text = [
    '1\n00:00:01,000 --> 00:00:03,000\n<i>Good evening</i>,\nand welcome.',
    '2\n00:00:03,100 --> 00:00:05,000\n{\\an8}This is <font color="#fff">the</font> news.',
    '3\n00:01:10,000 --> 00:01:12,000 X1:40 X2:600\nLater that day.',
    '4\n00:01:12,100 --> 00:01:14,000\n- Who is there?\n- Me.',
  ].join('\n\n');
  expect((await readAs(srt, text)).markdown).toBe(
    [
      '[00:00:01] Good evening, and welcome. This is the news.',
      '[00:01:10] Later that day.',
      '[00:01:12] - Who is there?',
      '[00:01:12] - Me.',
    ].join('\n\n'),
  );
});

test('voices and labels name the speakers, settings and notes are removed', async () => {
  const text = [
    'WEBVTT - All hands\nLanguage: en',
    'STYLE\n::cue { color: red }',
    'NOTE a comment',
    'intro\n00:01.000 --> 00:02.500 align:start\n<v.loud Anna Berg>Hi &amp; <b>welcome</b>.',
    '00:02.600 --> 00:03.000\n<v Anna Berg>We begin.',
    '00:03.000 --> 00:04.000\n<v Tom>Thanks.<v Anna Berg>Sure.',
    '01:00:04.000 --> 01:00:05.000\nTOM: One <00:00:04.500>more thing: tea.',
  ].join('\n\n');
  expect(await readAs(vtt, text)).toEqual({
    markdown: [
      '[00:00:01] **Anna Berg:** Hi & welcome. We begin.',
      '[00:00:03] **Tom:** Thanks.',
      '[00:00:03] **Anna Berg:** Sure.',
      '[01:00:04] **TOM:** One more thing: tea.',
    ].join('\n\n'),
    title: 'All hands',
    languageHint: 'en',
  });
});

test('roll-up captions yield each line once', async () => {
  const cues = ['so today we', 'so today we look at', 'look at', 'look at trees'];
  const text = cues.map((cue, at) => `00:0${at}.000 --> 00:0${at + 1}.000\n${cue}`).join('\n\n');
  expect((await readAs(vtt, `WEBVTT\n\n${text}`)).markdown).toBe('[00:00:00] so today we look at trees');
});

test('cues without blank lines between them are recognised', async () => {
  const text = '1\n00:00:01,000 --> 00:00:02,000\nOne.\n2\n00:00:09,000 --> 00:00:10,000\nTwo.';
  expect((await readAs(srt, text)).markdown).toBe('[00:00:01] One.\n\n[00:00:09] Two.');
});

test('Japanese lines are joined without spaces', async () => {
  const text = '1\n00:00:01,000 --> 00:00:02,000\n今日は、\n\n2\n00:00:02,000 --> 00:00:03,000\nいい天気です。';
  expect((await readAs(srt, text)).markdown).toBe('[00:00:01] 今日は、いい天気です。');
});

test('cues without numbers or fractions of seconds are recognised', async () => {
  const text = '00:00:01 --> 00:00:02\nOne.\n\n00:00:09 --> 00:00:10\nTwo.';
  expect((await detectFormat(contentOf(text))).format.name).toBe('srt');
  expect((await readAs(srt, text)).markdown).toBe('[00:00:01] One.\n\n[00:00:09] Two.');
});
