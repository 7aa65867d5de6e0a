/**
 * Describes, for each SMS provider, the request that sends a message, and how to determine from the response whether
 * the message was sent.
 */
import type { Config } from '../../../platform/config/index.ts';
import { barePhone } from '../common/contact.ts';
import { isJsonObject } from '../common/json.ts';

/** The SMS settings. `contentSid` is the ID of the WhatsApp template that Twilio approved, or an empty string. */
export type SmsConfig = Config['auth']['sms'] & { readonly contentSid: string };

export interface TextMessage {
  /** The phone number without `+`. */
  readonly phone: string;
  readonly body: string;
  readonly code: string;
  readonly channel: 'sms' | 'whatsapp';
}

export interface ProviderRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
}

/**
 * A request, and a function that checks the response to the request. `fault` returns upstream's error text, or
 * undefined if the request succeeded.
 */
export interface ProviderCall<T> {
  request(config: SmsConfig, input: T): ProviderRequest;
  fault(status: number, response: unknown): string | undefined;
}

export type TextProvider = ProviderCall<TextMessage>;

export const textProviders: Readonly<
  Record<'twilio' | 'twilio_verify' | 'messagebird' | 'textlocal' | 'vonage', TextProvider>
> = {
  /** Documented at https://www.twilio.com/docs/messaging/api/message-resource */
  twilio: {
    request({ twilio, contentSid }, { phone, body, code, channel }) {
      const isWhatsapp = channel === 'whatsapp';
      const prefix = isWhatsapp ? 'whatsapp:' : '';
      const sender = twilio.message_service_sid;
      // The sender must have the channel as a prefix if it is a phone number. A messaging service ID must not have this
      // prefix.
      const isNumber = /^[1-9][0-9]{1,14}$/.test(barePhone(sender));
      const content: Record<string, string> =
        isWhatsapp && contentSid !== ''
          ? { ContentSid: contentSid, ContentVariables: JSON.stringify({ 1: code }) }
          : { Body: body };
      return {
        url: `https://api.twilio.com/2010-04-01/Accounts/${encodeURIComponent(twilio.account_sid)}/Messages.json`,
        headers: { authorization: basic(twilio.account_sid, twilio.auth_token ?? '') },
        form: {
          To: `${prefix}+${phone}`,
          Channel: channel,
          From: (isNumber ? prefix : '') + sender,
          ...content,
        },
      };
    },
    fault(status, response) {
      if (status !== 200 && status !== 201) return twilioRejection(status, response);
      const state = textAt(response, 'status');
      if (state !== 'failed' && state !== 'undelivered') return undefined;
      const code = valueAt(response, 'error_code');
      const reason = textAt(response, 'error_message') ?? state;
      return `twilio error: ${reason} ${code ?? ''} for message ${textAt(response, 'sid') ?? ''}`;
    },
  },
  /**
   * Twilio Verify itself generates the code and the text of the message
   * (https://www.twilio.com/docs/verify/api/verification).
   */
  twilio_verify: {
    request: ({ twilio_verify }, { phone, channel }) =>
      verifyRequest(twilio_verify, 'Verifications', { To: `+${phone}`, Channel: channel }),
    fault: (status, response) =>
      status === 200 || status === 201 ? undefined : twilioRejection(status, response),
  },
  /** Documented at https://developers.messagebird.com/api/sms-messaging/#send-outbound-sms */
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
    fault(status, response) {
      if (status >= 400) return textAt(response, 'errors', 0, 'description') ?? `HTTP ${status}`;
      const sent = valueAt(response, 'recipients', 'totalSentCount');
      return sent ? undefined : 'messagebird error: total sent count is 0';
    },
  },
  /** Documented at https://api.textlocal.in/docs/sendsms */
  textlocal: {
    request({ textlocal }, { phone, body }) {
      return {
        url: 'https://api.textlocal.in/send',
        headers: {},
        form: { sender: textlocal.sender, apikey: textlocal.api_key ?? '', message: body, numbers: phone },
      };
    },
    fault(status, response) {
      if (textAt(response, 'status') === 'success') return undefined;
      const reason = textAt(response, 'errors', 0, 'message');
      if (reason === undefined) return `HTTP ${status}`;
      const code = valueAt(response, 'errors', 0, 'code') ?? '';
      return `textlocal error: ${reason} (code: ${code}) message ${textAt(response, 'messages', 0, 'id') ?? ''}`;
    },
  },
  /** Documented at https://developer.vonage.com/en/api/sms */
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
    fault(status, response) {
      const state = textAt(response, 'messages', 0, 'status');
      if (state === '0') return undefined;
      if (state === undefined) return status === 200 ? 'vonage error: Internal Error' : `HTTP ${status}`;
      const [reason, id] = [
        textAt(response, 'messages', 0, 'error-text'),
        textAt(response, 'messages', 0, 'message-id'),
      ];
      return `vonage error: ${reason ?? ''} (status: ${state}) for message ${id ?? ''}`;
    },
  },
};

/** Checks a code that Twilio Verify generated (https://www.twilio.com/docs/verify/api/verification-check). */
export const codeCheck: ProviderCall<{ readonly phone: string; readonly code: string }> = {
  request: ({ twilio_verify }, { phone, code }) =>
    verifyRequest(twilio_verify, 'VerificationCheck', { To: `+${phone}`, Code: code }),
  fault(status, response) {
    if (status !== 200 && status !== 201) return twilioRejection(status, response);
    const state = textAt(response, 'status');
    if (state === 'approved' && valueAt(response, 'valid') === true) return undefined;
    return `twilio verification error: ${textAt(response, 'error_message') ?? ''} ${state ?? ''}`;
  },
};

function verifyRequest(
  config: SmsConfig['twilio_verify'],
  resource: string,
  form: Readonly<Record<string, string>>,
): ProviderRequest {
  return {
    url: `https://verify.twilio.com/v2/Services/${encodeURIComponent(config.message_service_sid)}/${resource}`,
    headers: { authorization: basic(config.account_sid, config.auth_token ?? '') },
    form,
  };
}

function twilioRejection(status: number, response: unknown): string {
  const message = textAt(response, 'message');
  if (message === undefined) return `HTTP ${status}`;
  return `${message} More information: ${textAt(response, 'more_info') ?? ''}`;
}

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
