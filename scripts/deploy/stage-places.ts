import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StageName } from '../../lib/frame/stage-name.ts';
import {
  declaredPlaces,
  parsePlace,
  placeRule,
  refusalElsewhere,
} from '../../lib/frame/stage-place.ts';
import { messageOf, root, Stop } from '../repository.mjs';
import type { Account } from './account.ts';

/**
 * Refuses credentials of another place than the flag names, or than `cdk.json` has for the stage:
 * neither makes up for the other. Answers whether anything said where the stage belongs.
 */
export function requirePlace(
  stage: StageName,
  account: Account,
  flag: string | undefined,
): boolean {
  const said = [placeOf(flag), placesInApp(stage)].filter((places) => places !== null);
  for (const places of said) {
    const here = { account: account.id, region: account.region };
    const refusal = refusalElsewhere(stage, places, here);
    if (refusal !== null) throw new Stop(`Nothing was changed: ${refusal}`);
  }
  return said.length > 0;
}

function placeOf(flag: string | undefined) {
  if (flag === undefined) return null;
  const place = parsePlace(flag);
  if (place === null) throw new Stop(`--in: ${placeRule}, not "${flag}".`);
  return [place];
}

function placesInApp(stage: StageName) {
  const file = 'cdk.json';
  const { context = {} } = JSON.parse(readFileSync(join(root, file), 'utf8'));
  try {
    return declaredPlaces(context['edgewise:places'], stage);
  } catch (error) {
    throw new Stop(`${file}: ${messageOf(error)}.`);
  }
}
