/**
 * Disables services outside this server whose settings refer to unset environment variables. During development, a
 * project must work right after it is cloned, without its secrets. With an incomplete SMTP server, for example, every
 * sign-up would fail.
 */
import type { Config } from '../schema/index.ts';

/** Adds a warning. `key` is the setting that refers to the environment variable. */
type Warn = (key: string, message: string) => void;

type Branch = Readonly<Record<string, unknown>>;

const smsProviders = ['twilio', 'twilio_verify', 'messagebird', 'textlocal', 'vonage'];

/** Returns the sections by key, with the behavior of the server while the section is disabled. */
function sectionsOf({ auth }: Config): ReadonlyMap<string, string> {
  return new Map([
    ['auth.email.smtp', 'emails are captured instead of being sent'],
    ['auth.captcha', 'requests are accepted without a CAPTCHA'],
    ...smsProviders.map(
      (name) => [`auth.sms.${name}`, 'text messages are captured instead of being sent'] as const,
    ),
    ...Object.keys(auth.hook).map((name) => [`auth.hook.${name}`, "the hook isn't called"] as const),
  ]);
}

export interface Completed {
  readonly config: Config;
  /** Whether the setting belongs to a section that has been disabled. */
  readonly isDisabled: (key: string) => boolean;
}

/** @param unset the names of unset environment variables, by the key of the setting that refers to the variable */
export function disableIncomplete(config: Config, unset: ReadonlyMap<string, string>, warn: Warn): Completed {
  const disabled: string[] = [];
  let result: Branch = config as unknown as Branch;
  for (const [section, consequence] of sectionsOf(config)) {
    const found = [...unset].find(([key]) => key.startsWith(`${section}.`));
    if (found === undefined || !isEnabled(config, section)) continue;
    const [key, name] = found;
    warn(key, `the environment variable ${name} isn't set, so ${consequence}`);
    disabled.push(`${section}.`);
    result = withDisabled(result, section.split('.'));
  }
  return {
    config: result as unknown as Config,
    isDisabled: (key) => disabled.some((prefix) => key.startsWith(prefix)),
  };
}

function isEnabled(config: Config, section: string): boolean {
  const value = section
    .split('.')
    .reduce<unknown>((branch, key) => (branch as Branch | undefined)?.[key], config);
  return (value as { readonly enabled?: boolean } | undefined)?.enabled === true;
}

function withDisabled(branch: Branch, [key, ...rest]: readonly string[]): Branch {
  if (key === undefined) return { ...branch, enabled: false };
  return { ...branch, [key]: withDisabled(branch[key] as Branch, rest) };
}
