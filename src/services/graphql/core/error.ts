/** An error whose message is part of the response. Thrown for a faulty request or a faulty directive. */
export class GraphqlError extends Error {
  override readonly name = 'GraphqlError';
}
