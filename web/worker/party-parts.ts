/** What a party in a tab needs; loaded only in studies whose parties hold different columns. */
export { partyOutgoing } from '../../src/site/party-outgoing.ts';
export { agreementAt, partyAgreement } from '../../src/site/party-review.ts';
export { prepareParty } from '../../src/site/prepare-party.ts';
export { takePart } from '../../src/site/take-part.ts';
export { partyStateIn } from '../../src/vertical/party-state.ts';
