import { expect, test } from 'vitest';
import { oauth1Header, percentEncode, signatureBase } from './oauth1.ts';

// These values are from "Creating a signature" in the X developer documentation.
const example = {
  method: 'POST',
  url: 'https://api.x.com/1.1/statuses/update.json',
  params: { status: 'Hello Ladies + Gentlemen, a signed OAuth request!', include_entities: 'true' },
} as const;
const credentials = {
  consumerKey: 'xvz1evFS4wEEPTGEFPHBog',
  consumerSecret: 'kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw',
  token: '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb',
  tokenSecret: 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE',
};

test('the signature matches the example in the documentation', () => {
  const header = oauth1Header(credentials, example, 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg', 1318622958);
  expect(header).toContain('oauth_signature="Ls93hJiZbQ3akF3HF3x1Bz8%2FzU4%3D"');
  expect(header).toContain('oauth_token="370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb"');
  expect(header).not.toContain(credentials.consumerSecret);
  expect(header).not.toContain(credentials.tokenSecret);
});

test('parameters are sorted after encoding, and the URL has no query', () => {
  expect(
    signatureBase('GET', 'https://Api.Example.com:443/a?ignored=1', { b: '1', 'a b': '!', a: '2' }),
  ).toBe('GET&https%3A%2F%2Fapi.example.com%2Fa&a%3D2%26a%2520b%3D%2521%26b%3D1');
});

test('percent-encoding leaves only the unreserved characters of RFC 3986 unchanged', () => {
  expect(percentEncode("Ladies + Gentlemen!*'()~-._")).toBe('Ladies%20%2B%20Gentlemen%21%2A%27%28%29~-._');
});
