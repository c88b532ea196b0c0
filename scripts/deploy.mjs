/** `npm run deploy -- --stage NAME`: a stage on AWS; see `deploy/deploy-stage.ts`. */
import { runOnOwnNode } from './deploy/own-node.mjs';

runOnOwnNode('deploy-stage.ts');
