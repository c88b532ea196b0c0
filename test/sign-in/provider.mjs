/**
 * `oidc-provider`, which is certified by the OpenID Foundation, as somebody would run it: its own
 * pages, its own refusals, its own tokens. It knows nothing of this repository but the client.
 */
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

/** @type {import('node:http').RequestListener} */
let answer = (_request, response) => void response.writeHead(503).end();
const server = createServer((request, response) => answer(request, response));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  answer = new Provider(url, configuration).callback();
  console.log(JSON.stringify({ url }));
});

const everybody = { email: 'ann@example.com', email_verified: true, groups: ['operators'] };
const configuration = {
  clients: [
    {
      client_id: 'edgewise-people',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/signed-in', 'http://127.0.0.1/sign-in'],
      response_types: ['code'],
      grant_types: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
    },
  ],
  features: { deviceFlow: { enabled: true } },
  scopes: ['openid', 'offline_access'],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
  // Groups stand in the token itself, and not only where an access token leads to.
  conformIdTokenClaims: false,
  clientBasedCORS: () => true,
  findAccount: (/** @type {unknown} */ _context, /** @type {string} */ sub) => ({
    accountId: sub,
    claims: () => ({ sub, ...everybody }),
  }),
};
