import { z } from 'zod';
import { json, noContent, type RouteTable } from '../core/contract.ts';
import { type OperatorRole, roles } from '../core/roles.ts';

/** The lifetimes of an agent's access that the Console offers, in days. */
export const lifetimes = [1, 7, 30, 90] as const;

/** An authorization request, as the OAuth server has packed it into the page's URL. */
const request = z.string().min(1).max(16_384);

const approval = z.object({
  request,
  role: z.enum(roles),
  /** Whether the agent can make changes that the role allows. */
  allowsChanges: z.boolean(),
  lifetimeDays: z.literal(lifetimes),
});

export interface AgentSummary {
  readonly id: string;
  /** The name that the agent has chosen. */
  readonly name: string;
  /** The host or the scheme of the URI to which the agent's code was sent. */
  readonly destination: string;
  readonly operatorName: string;
  /** The role to which the agent is limited or that of its operator, whichever has fewer permissions. */
  readonly role: OperatorRole;
  readonly isReadOnly: boolean;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string | null;
}

/** An agent that asks for access. */
export interface AskingAgent {
  readonly name: string;
  /** The host that publishes the agent's metadata, or null if the agent has registered itself. */
  readonly host: string | null;
  readonly destination: string;
  /** Whether the code is sent to a program on the operator's machine. Any program there can use this address. */
  readonly isLocal: boolean;
  readonly asksForChanges: boolean;
}

export interface AgentRequest {
  /** Null if the request can't be approved. */
  readonly agent: AskingAgent | null;
  /** The reason why the request can't be approved, for the agent's developer. */
  readonly fault: string | null;
  /** The URL that reports to the agent that it didn't get access. Null if the agent isn't registered. */
  readonly returnUrl: string | null;
}

export const contract = {
  /** Owners see the agents of all operators. Other operators see only their own agents. */
  'GET /agents': { response: json<{ readonly agents: readonly AgentSummary[] }>() },
  'DELETE /agents/:id': { response: noContent },
  'GET /agents/request': { query: z.object({ request }), response: json<AgentRequest>() },
  /** Approves a request. The response contains the URL that sends the authorization code to the agent. */
  'POST /agents/approve': { body: approval, response: json<{ readonly url: string }>() },
} as const satisfies RouteTable;
