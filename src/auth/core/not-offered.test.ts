import { expect, test } from 'vitest';
import { configFrom, defaultConfig } from '../../config/index.ts';
import { notOffered } from './not-offered.ts';

test('names what is enabled in vain', () => {
  expect(notOffered(defaultConfig().auth)).toEqual([]);
  const { auth } = configFrom({
    auth: { web3: { solana: { enabled: true }, ethereum: { enabled: true } } },
  });
  expect(notOffered(auth)).toEqual(['auth.web3.solana', 'auth.web3.ethereum']);
});
