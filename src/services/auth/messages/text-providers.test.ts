import { expect, test } from 'vitest';
import { configFrom } from '../../../platform/config/index.ts';
import { codeCheck, textProviders } from './text-providers.ts';

const { sms: configured } = configFrom({
  auth: {
    sms: {
      twilio_verify: { account_sid: 'AC1', auth_token: 'secret', message_service_sid: 'VA1' },
      twilio: { account_sid: 'AC1', auth_token: 'secret', message_service_sid: 'MG1' },
      vonage: { from: 'Plinth', api_key: 'k', api_secret: 's' },
      messagebird: { originator: 'Plinth', access_key: 'k' },
      textlocal: { sender: 'Plinth', api_key: 'k' },
    },
  },
}).auth;
const sms = { ...configured, contentSid: '' };
const message = { phone: '15551234567', body: 'Your code is 1', code: '1', channel: 'sms' } as const;

test('the request to each provider', () => {
  expect(textProviders.twilio.request(sms, message)).toEqual({
    url: 'https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json',
    headers: { authorization: `Basic ${btoa('AC1:secret')}` },
    form: { To: '+15551234567', Channel: 'sms', From: 'MG1', Body: 'Your code is 1' },
  });
  const byNumber = { ...sms, twilio: { ...sms.twilio, message_service_sid: '+1777' } };
  expect(textProviders.twilio.request(byNumber, { ...message, channel: 'whatsapp' }).form).toMatchObject({
    To: 'whatsapp:+15551234567',
    From: 'whatsapp:+1777',
  });
  const approved = { ...sms, contentSid: 'HX1' };
  expect(textProviders.twilio.request(approved, { ...message, channel: 'whatsapp' }).form).toEqual({
    To: 'whatsapp:+15551234567',
    Channel: 'whatsapp',
    From: 'MG1',
    ContentSid: 'HX1',
    ContentVariables: '{"1":"1"}',
  });
  expect(textProviders.twilio_verify.request(sms, { ...message, channel: 'whatsapp' })).toEqual({
    url: 'https://verify.twilio.com/v2/Services/VA1/Verifications',
    headers: { authorization: `Basic ${btoa('AC1:secret')}` },
    form: { To: '+15551234567', Channel: 'whatsapp' },
  });
  expect(codeCheck.request(sms, { phone: '1555', code: '42' })).toMatchObject({
    url: 'https://verify.twilio.com/v2/Services/VA1/VerificationCheck',
    form: { To: '+1555', Code: '42' },
  });
  expect(textProviders.vonage.request(sms, message).form).not.toHaveProperty('type');
  expect(textProviders.vonage.request(sms, { ...message, body: 'Größe' }).form).toMatchObject({
    type: 'unicode',
  });
  expect(textProviders.messagebird.request(sms, message).form).toMatchObject({
    recipients: '15551234567',
    type: 'sms',
  });
  expect(textProviders.textlocal.request(sms, message).form).toMatchObject({
    numbers: '15551234567',
    apikey: 'k',
  });
});

test.each([
  ['twilio', 201, { status: 'queued' }, undefined],
  [
    'twilio',
    201,
    { status: 'failed', sid: 'SM1', error_message: 'no', error_code: 30007 },
    'twilio error: no 30007 for message SM1',
  ],
  [
    'twilio',
    401,
    { message: 'Authenticate', more_info: 'https://x' },
    'Authenticate More information: https://x',
  ],
  ['twilio', 502, undefined, 'HTTP 502'],
  ['twilio_verify', 201, { status: 'pending' }, undefined],
  ['twilio_verify', 429, { message: 'Max attempts', more_info: 'y' }, 'Max attempts More information: y'],
  ['messagebird', 201, { recipients: { totalSentCount: 1 } }, undefined],
  ['messagebird', 201, { recipients: { totalSentCount: 0 } }, 'messagebird error: total sent count is 0'],
  ['messagebird', 422, { errors: [{ description: 'bad' }] }, 'bad'],
  ['textlocal', 200, { status: 'success' }, undefined],
  [
    'textlocal',
    200,
    { status: 'failure', errors: [{ code: 4, message: 'bad' }] },
    'textlocal error: bad (code: 4) message ',
  ],
  ['textlocal', 500, undefined, 'HTTP 500'],
  ['vonage', 200, { messages: [{ status: '0' }] }, undefined],
  [
    'vonage',
    200,
    { messages: [{ status: '4', 'error-text': 'bad', 'message-id': '7' }] },
    'vonage error: bad (status: 4) for message 7',
  ],
  ['vonage', 200, { messages: [] }, 'vonage error: Internal Error'],
  ['vonage', 502, undefined, 'HTTP 502'],
] as const)('%s: %d %o', (name, status, response, fault) => {
  expect(textProviders[name].fault(status, response)).toBe(fault);
});

test.each([
  [200, { status: 'approved', valid: true }, undefined],
  [200, { status: 'pending', valid: false }, 'twilio verification error:  pending'],
  [200, { status: 'approved', valid: 'true' }, 'twilio verification error:  approved'],
  [404, { message: 'not found', more_info: 'z' }, 'not found More information: z'],
] as const)('a code check: %d %o', (status, response, fault) => {
  expect(codeCheck.fault(status, response)).toBe(fault);
});
