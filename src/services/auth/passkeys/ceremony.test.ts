import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configFrom } from '../../../platform/config/index.ts';
import type { JsonObject } from '../common/json.ts';
import {
  creationOptions,
  creationSession,
  newChallenge,
  readSession,
  relyingParty,
  requestOptions,
  requestSession,
} from './ceremony.ts';
import {
  factorCredential,
  looksCloned,
  modelName,
  readFactorCredential,
  usedFactorCredential,
} from './credential.ts';
import { type NewKey, parseAssertion, parseCreation } from './webauthn.ts';

const party = { id: 'app.example', name: 'App', origins: ['https://app.example'] };
const userId = '7b3c4d5e-0000-4000-8000-000000000001';

describe('the relying party', () => {
  const from = (webauthn: object, siteUrl = 'https://site.example:8443/path') =>
    relyingParty(configFrom({ auth: { webauthn } }).auth.webauthn, siteUrl);

  test('is derived from the site URL by default', () => {
    expect(from({})).toEqual({
      id: 'site.example',
      name: 'site.example',
      origins: ['https://site.example:8443'],
    });
    expect(from({}, 'no address')).toEqual({ id: '', name: '', origins: ['no address'] });
  });

  test('includes the origin of the Account pages by default', () => {
    const webauthn = configFrom({ auth: { webauthn: { rp_id: 'localhost' } } }).auth.webauthn;
    const inDevelopment = relyingParty(webauthn, 'http://localhost:3000', 'http://127.0.0.1:54321');
    expect(inDevelopment.origins).toEqual(['http://localhost:3000', 'http://localhost:54321']);
    const own = { ...webauthn, rp_id: 'app.example' };
    expect(relyingParty(own, 'https://app.example', 'https://api.app.example').origins).toEqual([
      'https://app.example',
      'https://api.app.example',
    ]);
    const listed = { ...own, rp_origins: ['https://app.example'] };
    expect(relyingParty(listed, 'https://app.example', 'https://api.app.example').origins).toEqual([
      'https://app.example',
    ]);
  });

  test('is the configured one, with normalized origins', () => {
    const rp_origins = [
      'HTTPS://App.Example:443/',
      'http://localhost:5173',
      'android:apk-key-hash:Abc',
      'ftp://x',
    ];
    expect(from({ rp_id: 'app.example', rp_display_name: 'App', rp_origins })).toEqual({
      id: 'app.example',
      name: 'App',
      origins: ['https://app.example', 'http://localhost:5173', 'android:apk-key-hash:Abc', 'ftp://x'],
    });
  });
});

describe('a ceremony', () => {
  const user = { id: userId, name: 'ada@example.com', displayName: 'Ada' };
  const keys = [{ id: Buffer.from('key one'), transports: ['usb'] }, { id: Buffer.from('key two') }];

  test('is stored and read unchanged', () => {
    const challenge = newChallenge();
    expect(Buffer.from(challenge, 'base64url')).toHaveLength(32);
    expect(readSession(creationSession({ party, kind: 'passkey', challenge, user, excluded: [] }))).toEqual({
      challenge,
      userId,
      allowed: [],
      userVerification: 'preferred',
      algorithms: [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8],
    });
    expect(readSession(requestSession({ party, kind: 'factor', challenge, userId, allowed: keys }))).toEqual({
      challenge,
      userId,
      allowed: keys.map(({ id }) => id),
      userVerification: '',
      algorithms: [],
    });
    expect(
      readSession(requestSession({ party, kind: 'passkey', challenge, userId: undefined, allowed: [] })),
    ).toMatchObject({
      userId: undefined,
      allowed: [],
    });
  });

  test('of a passkey has more requirements than that of a factor', () => {
    expect(creationOptions({ party, kind: 'passkey', user, challenge: 'c', excluded: [] })).toMatchObject({
      authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
      attestation: 'none',
    });
    const factor = creationOptions({ party, kind: 'factor', user, challenge: 'c', excluded: keys });
    expect(factor).toMatchObject({
      authenticatorSelection: {},
      excludeCredentials: [
        { type: 'public-key', id: Buffer.from('key one').toString('base64url'), transports: ['usb'] },
        { type: 'public-key', id: Buffer.from('key two').toString('base64url') },
      ],
    });
    expect(factor).not.toHaveProperty('attestation');
    expect(requestOptions({ party, kind: 'factor', challenge: 'c', userId, allowed: [] })).toEqual({
      challenge: 'c',
      timeout: 300_000,
      rpId: 'app.example',
    });
  });

  test('rejects any other value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (kept) => {
        const ceremony = readSession(kept);
        if (ceremony) expect(ceremony.challenge).not.toBe('');
      }),
    );
    for (const kept of [null, undefined, [], 'x', {}, { challenge: '' }, { challenge: 7 }]) {
      expect(readSession(kept)).toBeUndefined();
    }
  });
});

describe('an answer', () => {
  const base64url = (text: string) => Buffer.from(text).toString('base64url');
  const clientDataJSON = base64url('{"type":"webauthn.get","challenge":"c","origin":"https://app.example"}');
  const creation = {
    id: 'AAAA',
    rawId: 'AAAA',
    type: 'public-key',
    response: { clientDataJSON, attestationObject: 'oWNmbXQ' },
  };
  const assertion = {
    id: 'AAAA',
    rawId: 'AAAA',
    type: 'public-key',
    response: { clientDataJSON, authenticatorData: 'AAAA', signature: 'AAAA' },
  };

  test('is decoded without padding, and missing fields are empty', () => {
    expect(parseCreation({ ...creation, rawId: 'AA==' })).toEqual({
      id: 'AA',
      clientDataJSON,
      attestationObject: 'oWNmbXQ',
      authenticatorData: '',
      publicKeyAlgorithm: 0,
      transports: [],
      attachment: '',
    });
    expect(parseAssertion(assertion)).toEqual({
      id: 'AAAA',
      clientDataJSON,
      authenticatorData: 'AAAA',
      signature: 'AAAA',
      userHandle: '',
    });
  });

  test('uses the current names for transports and attachment', () => {
    const response = { ...creation.response, transports: ['cable', 'usb'], publicKeyAlgorithm: -7 };
    expect(parseCreation({ ...creation, response, authenticatorAttachment: 'platform' })).toMatchObject({
      transports: ['hybrid', 'usb'],
      attachment: 'platform',
      publicKeyAlgorithm: -7,
    });
    expect(parseCreation({ ...creation, authenticatorAttachment: 'elsewhere' })).toMatchObject({
      attachment: '',
    });
  });

  test.each<[string, object]>([
    ['another type', { type: 'password' }],
    ['no id', { id: '' }],
    ['an ID that isn’t Base64url', { id: 'a+b/' }],
    ['a raw id of an impossible length', { rawId: 'AAAAA' }],
    ['no raw id', { rawId: undefined }],
    ['no response', { response: undefined }],
    ['a list for a response', { response: [] }],
    ['client data that isn’t JSON', { response: { ...creation.response, clientDataJSON: 'AAAA' } }],
    [
      'client data without an origin',
      { response: { ...creation.response, clientDataJSON: base64url('{"type":"x","challenge":"c"}') } },
    ],
    ['client data of a list', { response: { ...creation.response, clientDataJSON: base64url('[]') } }],
  ])('is rejected with %s', (_what, changes) => {
    expect(parseCreation({ ...creation, ...changes })).toBeUndefined();
    const response = 'response' in changes ? changes.response : assertion.response;
    expect(parseAssertion({ ...assertion, ...changes, response })).toBeUndefined();
  });

  test('is rejected for any other JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (json, response) => {
        expect(parseCreation(json)).toBeUndefined();
        expect(parseAssertion(json)).toBeUndefined();
        expect(parseAssertion({ id: 'AAAA', rawId: 'AAAA', type: 'public-key', response })).toBeUndefined();
      }),
    );
  });
});

describe('a key', () => {
  const key: NewKey = {
    id: Buffer.from('key one'),
    publicKey: Buffer.from('cose'),
    signCount: 3,
    backupEligible: true,
    transports: ['internal'],
    attestationFormat: 'none',
    aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4',
    userVerified: false,
    backedUp: false,
  };
  const response = {
    id: 'AAAA',
    clientDataJSON: 'e30',
    attestationObject: 'oA',
    authenticatorData: '',
    publicKeyAlgorithm: -7,
    transports: [],
    attachment: 'platform',
  } as const;

  test('is stored and read unchanged, also after a use', () => {
    const kept = factorCredential(key, response, Buffer.alloc(32));
    const { id, publicKey, signCount, backupEligible, transports } = key;
    expect(readFactorCredential(kept)).toEqual({ id, publicKey, signCount, backupEligible, transports });
    const used = usedFactorCredential(kept, {
      signCount: 9,
      userVerified: true,
      backupEligible: true,
      backedUp: true,
    });
    expect(readFactorCredential(used)).toMatchObject({ signCount: 9, id });
    expect(used).toMatchObject({
      flags: { userPresent: true, userVerified: true, backupEligible: true, backupState: true },
      authenticator: { AAGUID: '6puNZk0BHSE85La0jLV11A==', attachment: 'platform' },
      attestation: kept.attestation as JsonObject,
    });
  });

  test('doesn’t exist for a factor without a key', () => {
    expect(readFactorCredential(null)).toBeUndefined();
    expect(readFactorCredential({ id: 'AAAA' })).toBeUndefined();
    expect(readFactorCredential({ id: 'AAAA', publicKey: 'AAAA', transport: null })).toMatchObject({
      signCount: 0,
      backupEligible: false,
      transports: [],
    });
  });

  test.each([
    [0, 0, false],
    [0, 1, false],
    [1, 2, false],
    [1, 1, true],
    [2, 1, true],
    [1, 0, true],
  ])('with counter %i that reports %i is detected as a copy: %s', (before, now, isClone) => {
    const use = { signCount: now, userVerified: true, backupEligible: true, backedUp: true };
    expect(looksCloned({ ...key, signCount: before }, use)).toBe(isClone);
  });

  test('is named after its model', async () => {
    expect(await modelName(key.aaguid)).toBe('Google Password Manager');
    expect(await modelName('00000000-0000-0000-0000-000000000000')).toBeUndefined();
    expect(await modelName('constructor')).toBeUndefined();
  });
});
