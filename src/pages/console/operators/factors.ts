/**
 * Manages the second factor of operators: an authenticator app (TOTP) with recovery codes. The operator must verify the
 * second factor in each session before most other calls are allowed. If the project requires a second factor, operators
 * who don't have one must set it up first.
 */

import type { Clock } from '../../../base/kernel/clock.ts';
import {
  newRecoveryCode,
  parseRecoveryCode,
  recoveryCodeHash,
  totpSecret,
  totpStep,
  totpUri,
} from '../../../base/shared/one-time-codes.ts';
import type { Seal } from '../../../base/shared/seal.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { AttemptLimits } from '../../../services/auth/index.ts';
import { ConsoleError } from '../errors.ts';
import type { Operator } from '../sessions.ts';
import * as queries from './queries.ts';

const recoveryCodeCount = 10;

export interface FactorsDeps {
  readonly database: Database;
  readonly seal: Seal;
  readonly guesses: AttemptLimits;
  readonly clock: Clock;
  /** The name under which the authenticator app lists the Console. */
  readonly issuer: string;
  /** Whether every operator must have a second factor. */
  readonly required: () => boolean;
}

export interface Factors {
  /**
   * Creates a TOTP secret, which becomes active when {@link confirm} receives a valid code.
   * @throws {ConsoleError} factor_there
   */
  begin(operator: Operator): Promise<{ secret: string; uri: string; qr: string }>;
  /**
   * Activates the secret. Returns the recovery codes, which can't be retrieved again.
   * @throws {ConsoleError} factor_there, code_wrong, too_many
   */
  confirm(operator: Operator, code: string): Promise<{ recoveryCodes: string[] }>;
  /**
   * Verifies a code from the authenticator app or a recovery code, and returns which kind of code it was.
   * @throws {ConsoleError} code_wrong, too_many
   */
  prove(operator: Operator, code: string): Promise<'code' | 'recovery code'>;
  /** Removes the factor. @throws {ConsoleError} code_wrong, too_many, factor_required */
  remove(operator: Operator, code: string): Promise<void>;
}

export function createFactors({ database, seal, guesses, clock, issuer, required }: FactorsDeps): Factors {
  const db = database.pool('supabase_admin');

  const secretOf = (sealed: Buffer | null, operatorId: string): string => {
    const secret = sealed === null ? undefined : seal.open(sealed, operatorId);
    if (secret === undefined)
      throw new ConsoleError('code_wrong', {
        message: "This second factor can't be verified because its key is missing. Ask an owner to reset it.",
      });
    return secret;
  };

  /** Counts failed attempts and limits them across all of the operator's sessions. */
  async function verify<T>(operator: Operator, compare: () => Promise<T | undefined>): Promise<T> {
    const result = await guesses.verify('operator_factor', { account: operator.id }, compare);
    if (result.kind === 'blocked')
      throw new ConsoleError('too_many', { waitSeconds: Math.ceil(result.waitMs / 1000) });
    if (result.kind === 'wrong') throw new ConsoleError('code_wrong');
    return result.value;
  }

  /** Accepts a TOTP code only if neither this code nor a later one has been used. */
  async function consumeCode(
    operator: Operator,
    sealed: Buffer | null,
    code: string,
  ): Promise<'code' | undefined> {
    const step = totpStep(secretOf(sealed, operator.id), code, clock.now());
    if (step === undefined) return undefined;
    return (await queries.consumeStep(db, operator.id, step)) ? 'code' : undefined;
  }

  async function prove(operator: Operator, code: string): Promise<'code' | 'recovery code'> {
    const factor = await queries.findFactor(db, operator.id);
    if (factor === undefined || !factor.confirmed) throw new ConsoleError('code_wrong');
    const letters = parseRecoveryCode(code);
    return verify(operator, async () => {
      if (letters === undefined) return consumeCode(operator, factor.totp_secret, code);
      const hash = recoveryCodeHash(operator.id, letters);
      return (await queries.takeRecoveryCode(db, operator.id, hash)) ? 'recovery code' : undefined;
    });
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
      const secret = factor?.totp_secret;
      if (secret === undefined || secret === null) throw new ConsoleError('code_wrong');
      await verify(operator, () => consumeCode(operator, secret, code));
      const recoveryCodes = Array.from({ length: recoveryCodeCount }, newRecoveryCode);
      const hashes = recoveryCodes.map((each) =>
        recoveryCodeHash(operator.id, parseRecoveryCode(each) ?? ''),
      );
      if (!(await db.transaction((tx) => queries.confirmFactor(tx, operator.id, secret, hashes))))
        throw new ConsoleError('code_wrong');
      await queries.markProven(db, operator.sessionId);
      return { recoveryCodes };
    },
    async prove(operator, code) {
      const kind = await prove(operator, code);
      await queries.markProven(db, operator.sessionId);
      return kind;
    },
    async remove(operator, code) {
      if (required()) throw new ConsoleError('factor_required');
      await prove(operator, code);
      await db.transaction((tx) => queries.removeFactor(tx, operator.id));
    },
  };
}
