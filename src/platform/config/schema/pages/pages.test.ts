import { expect, test } from 'vitest';
import { describeNames, describeSettings } from '../../describe.ts';
import { entryOf, settingPages, withoutPage } from './index.ts';

const facts = [...describeSettings(), ...describeNames()].flatMap(({ settings }) => settings);
const keys = facts.map(({ path }) => path.join('.'));
const entries = settingPages.flatMap(({ parts }) => parts.flatMap(({ settings }) => settings));

test('every setting with an effect is on exactly one page, and no page lists another key', () => {
  const listed = entries.map(([key]) => key).sort();
  expect(listed).toEqual(keys.filter((key) => !withoutPage.test(key)).sort());
});

test('keys are unique across both files, so a key identifies a setting', () => {
  expect(new Set(keys).size).toBe(keys.length);
});

test('labels are words, unique on their page, and enum labels match the values', () => {
  for (const { id, parts } of settingPages) {
    const labels = parts.flatMap(({ settings }) => settings.map(([, label]) => label));
    const repeated = labels.filter((label, index) => label !== 'Value' && labels.indexOf(label) !== index);
    expect([id, repeated]).toEqual([id, []]);
    for (const label of labels) expect(label).toMatch(/^[A-Z][^_]*[^.]$/);
  }
  for (const { path, values } of facts) {
    const options = entryOf(path)?.[2]?.options;
    if (options !== undefined) expect(Object.keys(options).sort()).toEqual([...(values ?? [])].sort());
  }
});

test('page addresses are unique, and tables with user-chosen names exist', () => {
  const ids = settingPages.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const tables = describeNames().map(({ path }) => path.join('.'));
  const shown = settingPages.flatMap(({ parts }) => parts.flatMap(({ names }) => names ?? []));
  expect(shown.sort()).toEqual(tables.sort());
});
