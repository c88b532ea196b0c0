/** `npm run destroy -- --stage NAME`: the end of one; see `deploy/destroy-stage.ts`. */
import { runOnOwnNode } from './deploy/own-node.mjs';

runOnOwnNode('destroy-stage.ts');
