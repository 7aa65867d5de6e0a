import { expect, test } from 'vitest';
import { popupPlace } from './popup-place.ts';

const window = { width: 1000, height: 800 };
const cell = (left: number, top: number, width = 200) => ({ left, top, bottom: top + 33, width });

test('a box is below its cell, or above it if there is more room', () => {
  expect(popupPlace(cell(100, 100), window)).toMatchObject({ left: '100px', top: '135px', bottom: 'auto' });
  expect(popupPlace(cell(100, 700), window)).toMatchObject({ top: 'auto', bottom: '102px' });
});

test('a box is always inside the window', () => {
  expect(popupPlace(cell(950, 100), window)).toMatchObject({ left: '608px', width: '384px' });
  expect(popupPlace(cell(10, 100), { width: 360, height: 740 })).toMatchObject({
    left: '8px',
    width: '344px',
  });
});
