/** Databases for tests: {@link createTestDatabase} is all most of them need. */
export {
  createTestDatabase,
  openTestDatabase,
  startTestCluster,
  stopTestCluster,
  type TestCluster,
  type TestDatabase,
  type TestPlace,
  testTarget,
} from './testing/test-cluster.ts';
