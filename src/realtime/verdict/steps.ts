/** Helpers that both kinds of verdicts share. */
import type { Claims } from '../../keys/types.ts';
import { type Caller, checkClaims, systemText } from '../core/token.ts';
import type { Outcome, Persona, Step, StepName } from '../types.ts';

export function step(
  name: StepName,
  outcome: Outcome,
  code: string,
  says: string,
  facts: Readonly<Record<string, unknown>> = {},
): Step {
  return { step: name, outcome, code, says, facts };
}

export const isStopped = (steps: readonly Step[]): boolean =>
  steps.some(({ outcome }) => outcome === 'stops');

/** Checks a persona's token in the same way as a join. Claims without `exp` are treated as a newly issued token. */
export function tokenStep({ role, claims }: Persona, nowMs: number): { caller: Caller; step: Step } {
  const whole: Claims & { exp: number } = { ...claims, role, exp: expiryOf(claims, nowMs) };
  const claimsJson = JSON.stringify(whole);
  const judged = checkClaims(whole, claimsJson, nowMs);
  const sub = typeof whole.sub === 'string' ? whole.sub : undefined;
  const caller = judged.ok ? judged.caller : { role, sub, expiresAt: whole.exp, claims: whole, claimsJson };
  const facts = { role, sub: sub ?? null };
  return {
    caller,
    step: judged.ok
      ? step('token', 'passes', 'token-good', 'The token would be accepted.', facts)
      : step('token', 'stops', 'token-refused', `The token is rejected: ${systemText(judged.fault)}.`, facts),
  };
}

function expiryOf({ exp }: Persona['claims'], nowMs: number): number {
  return typeof exp === 'number' ? exp : Math.floor(nowMs / 1000) + 3600;
}
