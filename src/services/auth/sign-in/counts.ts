/** Counts sign-ins for `/metrics`, by method and outcome. */
import { LabeledCounts, type Sample } from '../../../base/kernel/metrics/values.ts';
import { AuthError } from '../errors.ts';

const methods = [
  'password',
  'refresh_token',
  'pkce',
  'id_token',
  'web3',
  'sign_up',
  'code',
  'link',
  'passkey',
  'oauth',
  'saml',
  'second_factor',
  'recovery_code',
] as const;
export type SignInMethod = (typeof methods)[number];

const outcomes = ['succeeded', 'rejected', 'rate_limited', 'failed'] as const;

export interface SignInCounts {
  /**
   * Runs a sign-in and counts the outcome. Errors caused by the caller count as `rejected` or `rate_limited`, and all
   * other errors count as `failed`.
   */
  track<T>(method: SignInMethod, work: () => Promise<T> | T): Promise<T>;
  samples(): readonly Sample[];
}

export function createSignInCounts(): SignInCounts {
  const counts = new LabeledCounts(methods.flatMap((method) => outcomes.map((outcome) => [method, outcome])));
  return {
    async track(method, work) {
      try {
        const result = await work();
        counts.add([method, 'succeeded']);
        return result;
      } catch (error) {
        counts.add([method, outcomeOf(error)]);
        throw error;
      }
    },
    samples: () => counts.samples(),
  };
}

function outcomeOf(error: unknown): (typeof outcomes)[number] {
  if (!(error instanceof AuthError) || error.status >= 500) return 'failed';
  return error.status === 429 ? 'rate_limited' : 'rejected';
}
