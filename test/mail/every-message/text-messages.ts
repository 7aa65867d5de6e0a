/**
 * Defines a sender for each kind of text message that auth sends. For a new kind of text message, a sender must be
 * added.
 */
import type { TextToSend } from '../../../src/services/auth/codes/phone-codes.ts';
import { codeIn } from './senders.ts';
import { type Language, type Message, password, type Stage } from './stage.ts';

type TextSender = (stage: Stage, language: Language) => Promise<Message>;

/** Creates a user whose only contact is a phone number. */
async function personWithPhone(stage: Stage, language: Language) {
  const phone = stage.newPhone();
  await stage.auth(language, '/otp', { json: { phone } });
  const json = { type: 'sms', phone, token: codeIn(await stage.received(phone)) };
  const { access_token: token } = await stage.auth<{ access_token: string }>(language, '/verify', { json });
  return { phone, token };
}

export const texts: Readonly<Record<TextToSend['kind'], Readonly<Record<string, TextSender>>>> = {
  confirmation: {
    'a sign-up': async (stage, language) => {
      const phone = stage.newPhone();
      await stage.auth(language, '/signup', { json: { phone, password } });
      return stage.received(phone);
    },
    'a sign-in': async (stage, language) => {
      const { phone } = await personWithPhone(stage, language);
      await stage.auth(language, '/otp', { json: { phone, create_user: false } });
      return stage.received(phone);
    },
  },
  phone_change: {
    'a new number': async (stage, language) => {
      const { token } = await stage.person(language);
      const phone = stage.newPhone();
      await stage.auth(language, '/user', { method: 'PUT', token, json: { phone } });
      return stage.received(phone);
    },
  },
  reauthentication: {
    'a change of the password': async (stage, language) => {
      const { phone, token } = await personWithPhone(stage, language);
      await stage.auth(language, '/reauthenticate', { token });
      return stage.received(phone);
    },
  },
  mfa: {
    'a second step': async (stage, language) => {
      const { token } = await stage.person(language);
      const phone = stage.newPhone();
      const { id } = await stage.auth<{ id: string }>(language, '/factors', {
        token,
        json: { factor_type: 'phone', phone },
      });
      await stage.auth(language, `/factors/${id}/challenge`, { token, json: {} });
      return stage.received(phone);
    },
  },
};
