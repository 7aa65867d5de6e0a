import { expect, test } from 'vitest';
import { configFrom } from '../../config/index.ts';
import { textProviders } from './text-providers.ts';

const { sms } = configFrom({
  auth: {
    sms: {
      twilio: { account_sid: 'AC1', auth_token: 'secret', message_service_sid: 'MG1' },
      vonage: { from: 'Plinth', api_key: 'k', api_secret: 's' },
      messagebird: { originator: 'Plinth', access_key: 'k' },
      textlocal: { sender: 'Plinth', api_key: 'k' },
    },
  },
}).auth;
const message = { phone: '15551234567', body: 'Your code is 1', channel: 'sms' } as const;

test('what each provider is sent', () => {
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
  ['twilio', 201, { status: 'failed', error_message: 'no' }, 'no'],
  ['twilio', 401, { message: 'Authenticate' }, 'Authenticate'],
  ['messagebird', 201, { recipients: { totalSentCount: 1 } }, undefined],
  ['messagebird', 201, { recipients: { totalSentCount: 0 } }, 'total sent count is 0'],
  ['messagebird', 422, { errors: [{ description: 'bad' }] }, 'bad'],
  ['textlocal', 200, { status: 'success' }, undefined],
  ['textlocal', 200, { status: 'failure', errors: [{ message: 'bad' }] }, 'bad'],
  ['vonage', 200, { messages: [{ status: '0' }] }, undefined],
  ['vonage', 200, { messages: [{ status: '4', 'error-text': 'bad' }] }, 'bad'],
  ['vonage', 502, undefined, 'HTTP 502'],
] as const)('%s: %d %o', (name, status, answer, fault) => {
  expect(textProviders[name].fault(status, answer)).toBe(fault);
});
