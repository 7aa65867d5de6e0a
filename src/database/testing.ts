/** Databases for tests: {@link createTestDatabase} is all most of them need. */
export {
  createTestDatabase,
  startTestCluster,
  stopTestCluster,
  type TestCluster,
  type TestDatabase,
} from './testing/test-cluster.ts';
