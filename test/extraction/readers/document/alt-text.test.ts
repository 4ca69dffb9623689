import { cleanAltText } from '../../../../extraction/readers/document/alt-text.ts';

test.each([
  ['A lighthouse at dusk', 'A lighthouse at dusk'],
  ['A cat on a sofa Description automatically generated with medium confidence', 'A cat on a sofa'],
  ['Diagramm Automatisch generierte Beschreibung mit mittlerer Zuverlässigkeit', 'Diagramm'],
  ['Un chien Description générée automatiquement', 'Un chien'],
  ['图片包含 游戏机 中度可信度描述已自动生成', '图片包含 游戏机'],
  ['ダイアグラム 自動的に生成された説明', 'ダイアグラム'],
  ['xlsx.png', ''],
  ['Picture 4', ''],
])('the description %p is reduced to %p', (text, kept) => {
  expect(cleanAltText(text)).toBe(kept);
});
