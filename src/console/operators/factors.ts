/**
 * Operators' second factor: one authenticator app (TOTP) and recovery codes. A session whose operator has one owes it
 * before it may do anything; where the project asks everybody for one, who has none sets it up first.
 */
import type { Database } from '../../database/types.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newRecoveryCode, parseRecoveryCode, recoveryCodeHash } from '../../kernel/recovery-codes.ts';
import { totpSecret, totpStep, totpUri } from '../../kernel/totp.ts';
import { createAttempts } from '../core/attempts.ts';
import { ConsoleError } from '../errors.ts';
import type { Operator } from '../sessions.ts';
import * as queries from './queries.ts';
import type { Seal } from './seal.ts';

const recoveryCodeCount = 10;
/** Six digits, three of which are right at a time: five guesses in five minutes find one in some 200 years. */
const codeLimits = { most: 5, windowMs: 300_000, addresses: 1000 };

export interface FactorsDeps {
  readonly database: Database;
  readonly seal: Seal;
  readonly clock: Clock;
  /** Named in the app. */
  readonly issuer: string;
  /** Everybody has to have one. */
  readonly required: boolean;
}

export interface Factors {
  /** A fresh secret, good once {@link confirm} has seen a code of it. @throws {ConsoleError} factor_there */
  begin(operator: Operator): Promise<{ secret: string; uri: string; qr: string }>;
  /** Returns the recovery codes, which nobody can read again. @throws {ConsoleError} code_wrong, too_many */
  confirm(operator: Operator, code: string): Promise<{ recoveryCodes: string[] }>;
  /** Takes a code of the app or a recovery code; says which it was. @throws {ConsoleError} code_wrong, too_many */
  prove(operator: Operator, code: string): Promise<'code' | 'recovery code'>;
  /** @throws {ConsoleError} code_wrong, too_many, factor_required */
  remove(operator: Operator, code: string): Promise<void>;
}

export function createFactors({ database, seal, clock, issuer, required }: FactorsDeps): Factors {
  const db = database.pool('supabase_admin');
  const attempts = createAttempts(codeLimits);

  const secretOf = (sealed: Buffer | null, operatorId: string): string => {
    const secret = sealed === null ? undefined : seal.open(sealed, operatorId);
    if (secret === undefined)
      throw new ConsoleError('code_wrong', {
        message: 'This factor cannot be checked: its key is gone. Ask an owner to reset it.',
      });
    return secret;
  };

  /** Each code once, and few guesses. */
  async function check(operator: Operator, sealed: Buffer | null, code: string): Promise<void> {
    const waitSeconds = attempts.waitSeconds(operator.id, clock.now());
    if (waitSeconds > 0) throw new ConsoleError('too_many', { waitSeconds });
    const step = totpStep(secretOf(sealed, operator.id), code, clock.now());
    if (step !== undefined && (await queries.takeStep(db, operator.id, step))) return;
    attempts.failed(operator.id, clock.now());
    throw new ConsoleError('code_wrong');
  }

  async function prove(operator: Operator, code: string): Promise<'code' | 'recovery code'> {
    const factor = await queries.findFactor(db, operator.id);
    if (factor === undefined || !factor.confirmed) throw new ConsoleError('code_wrong');
    const letters = parseRecoveryCode(code);
    if (letters === undefined) {
      await check(operator, factor.totp_secret, code);
      return 'code';
    }
    const waitSeconds = attempts.waitSeconds(operator.id, clock.now());
    if (waitSeconds > 0) throw new ConsoleError('too_many', { waitSeconds });
    if (await queries.takeRecoveryCode(db, operator.id, recoveryCodeHash(operator.id, letters)))
      return 'recovery code';
    attempts.failed(operator.id, clock.now());
    throw new ConsoleError('code_wrong');
  }

  return {
    async begin(operator) {
      const secret = totpSecret();
      if (!(await queries.beginFactor(db, operator.id, seal.close(secret, operator.id))))
        throw new ConsoleError('factor_there');
      const uri = totpUri(issuer, operator.name, secret);
      const { default: qrcode } = await import('qrcode');
      const svg = await qrcode.toString(uri, { type: 'svg', margin: 2 });
      return { secret, uri, qr: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` };
    },
    async confirm(operator, code) {
      const factor = await queries.findFactor(db, operator.id);
      if (factor?.confirmed === true) throw new ConsoleError('factor_there');
      if (factor === undefined || factor.totp_secret === null) throw new ConsoleError('code_wrong');
      await check(operator, factor.totp_secret, code);
      const recoveryCodes = Array.from({ length: recoveryCodeCount }, newRecoveryCode);
      const hashes = recoveryCodes.map((each) =>
        recoveryCodeHash(operator.id, parseRecoveryCode(each) ?? ''),
      );
      await db.transaction((tx) => queries.confirmFactor(tx, operator.id, hashes));
      await queries.markProven(db, operator.sessionId);
      return { recoveryCodes };
    },
    async prove(operator, code) {
      const kind = await prove(operator, code);
      await queries.markProven(db, operator.sessionId);
      return kind;
    },
    async remove(operator, code) {
      if (required) throw new ConsoleError('factor_required');
      await prove(operator, code);
      await db.transaction((tx) => queries.removeFactor(tx, operator.id));
    },
  };
}
