/** Runs before each test file of a process that many files share: afterwards the next file finds a clean cluster. */
import { afterAll } from 'vitest';
import { resetTestCluster } from '../../src/database/testing.ts';

afterAll(resetTestCluster);
