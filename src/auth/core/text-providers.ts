/** Text message providers as data: the request each wants, and how its answer says whether the message went out. */
import type { Config } from '../../config/index.ts';
import { isJsonObject } from './json.ts';

type SmsConfig = Config['auth']['sms'];

export interface TextMessage {
  /** Bare number, without `+`. */
  readonly phone: string;
  readonly body: string;
  readonly channel: 'sms' | 'whatsapp';
}

export interface ProviderRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
}

export interface TextProvider {
  request(config: SmsConfig, message: TextMessage): ProviderRequest;
  /** Undefined when the message is on its way, else what the provider says. */
  fault(status: number, answer: unknown): string | undefined;
}

export const textProviders: Readonly<
  Record<'twilio' | 'messagebird' | 'textlocal' | 'vonage', TextProvider>
> = {
  twilio: {
    request({ twilio }, { phone, body, channel }) {
      const prefix = channel === 'whatsapp' ? 'whatsapp:' : '';
      // A number as the sender needs the channel as well; the id of a service does not.
      const isNumber = /^\+?[1-9][0-9]{1,14}$/.test(twilio.message_service_sid);
      return {
        url: `https://api.twilio.com/2010-04-01/Accounts/${encodeURIComponent(twilio.account_sid)}/Messages.json`,
        headers: { authorization: basic(twilio.account_sid, twilio.auth_token ?? '') },
        form: {
          To: `${prefix}+${phone}`,
          Channel: channel,
          From: (isNumber ? prefix : '') + twilio.message_service_sid,
          Body: body,
        },
      };
    },
    fault(status, answer) {
      if (status !== 200 && status !== 201) return textAt(answer, 'message') ?? `HTTP ${status}`;
      const state = textAt(answer, 'status');
      return state === 'failed' || state === 'undelivered'
        ? (textAt(answer, 'error_message') ?? state)
        : undefined;
    },
  },
  messagebird: {
    request({ messagebird }, { phone, body }) {
      return {
        url: 'https://rest.messagebird.com/messages',
        headers: { authorization: `AccessKey ${messagebird.access_key ?? ''}` },
        form: {
          originator: messagebird.originator,
          body,
          recipients: phone,
          type: 'sms',
          datacoding: 'unicode',
        },
      };
    },
    fault(status, answer) {
      if (status >= 400) return textAt(answer, 'errors', 0, 'description') ?? `HTTP ${status}`;
      return valueAt(answer, 'recipients', 'totalSentCount') ? undefined : 'total sent count is 0';
    },
  },
  textlocal: {
    request({ textlocal }, { phone, body }) {
      return {
        url: 'https://api.textlocal.in/send',
        headers: {},
        form: { sender: textlocal.sender, apikey: textlocal.api_key ?? '', message: body, numbers: phone },
      };
    },
    fault(status, answer) {
      if (textAt(answer, 'status') === 'success') return undefined;
      return textAt(answer, 'errors', 0, 'message') ?? `HTTP ${status}`;
    },
  },
  vonage: {
    request({ vonage }, { phone, body }) {
      return {
        url: 'https://rest.nexmo.com/sms/json',
        headers: {},
        form: {
          from: vonage.from,
          to: phone,
          text: body,
          api_key: vonage.api_key,
          api_secret: vonage.api_secret ?? '',
          ...(/^[\x20-\x7e\s]*$/.test(body) ? {} : { type: 'unicode' }),
        },
      };
    },
    fault(status, answer) {
      if (textAt(answer, 'messages', 0, 'status') === '0') return undefined;
      return textAt(answer, 'messages', 0, 'error-text') ?? `HTTP ${status}`;
    },
  },
};

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof key === 'number') current = Array.isArray(current) ? current[key] : undefined;
    else current = isJsonObject(current) ? current[key] : undefined;
  }
  return current;
}

function textAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : undefined;
}
