import { everyOperation } from './api-contract.ts';
import { onTheEngine } from './engine-stores.ts';

onTheEngine(everyOperation);
