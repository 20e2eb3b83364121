import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { OperatorEntry } from '../../ui/operator-entry.tsx';
import { OneRoundPicture } from './one-round-picture.tsx';

const DEMO = 'npx suffice demo';

/** The start page for someone without a token: what this is, how to try it, and last the operator's token. */
export function Welcome({
  coordinator,
  unread,
  refused,
  onToken,
}: {
  readonly coordinator: string;
  /** The address has something after # that is no token. */
  readonly unread: boolean;
  readonly refused: string | undefined;
  readonly onToken: (token: string) => void;
}) {
  return (
    <>
      {unread && (
        <Notice kind="bad" title="The token in this link is not complete.">
          <p>
            An operator’s token starts with sfo_ and has 47 characters. Copy the whole link again,
            or enter the token below. A link that a site was given opens the page of the site: its
            address has /join before the #.
          </p>
        </Notice>
      )}
      <div class="welcome">
        <div class="heading">
          <h1>One model over data that stays where it is</h1>
          <div class="prose">
            <p>
              Suffice fits a regression over the rows of several sites without moving a row: each
              site reduces its rows to one small table of sums, looks at it, and sends it once. This
              coordinator adds the sums and solves; for a linear model the result is exactly the one
              that all rows together would give.
            </p>
          </div>
        </div>
        <OneRoundPicture />
      </div>
      <div class="columns level">
        <Card title="See a study" about="Three islands of penguins, a coordinator and a result.">
          <p>Where Suffice is installed, this runs a whole study on your own machine:</p>
          <p class="code wraps">
            <code>{DEMO}</code>
          </p>
          <div class="row">
            <CopyButton text={() => DEMO}>Copy command</CopyButton>
          </div>
          <p class="small soft">It prints the link of the result page and of every site’s page.</p>
        </Card>
        <Card
          title="Try the method"
          about="Simulated sites in this tab: adding sums against averaging models, noise, missing sites."
        >
          <div class="row">
            <a class="button" href={`${coordinator}/lab`}>
              Open the lab
            </a>
          </div>
          <p class="small soft">No token is needed, and nothing is sent.</p>
        </Card>
        <Card
          title="Read about it"
          about="The documentation is in the folder docs of the package, from docs/README.md on."
        >
          <ul class="small welcome-list">
            <li>docs/pages.md: what each page shows</li>
            <li>docs/privacy.md and docs/threat-model.md: who can learn what</li>
            <li>docs/mathematics.md: why the result is exact</li>
            <li>
              <code>suffice --help</code>: the commands
            </li>
          </ul>
        </Card>
      </div>
      <div class="columns">
        <Card
          title="Your site was invited"
          about="You need no token. Open the whole link you were given: it leads to the page where you take part."
        >
          <p class="small soft">
            The part after # is your site’s secret. If it is missing, ask the person who sent the
            link for a new one.
          </p>
          <p class="small soft">
            An analyst asked for the key of your site? It is on{' '}
            <a href={`${coordinator}/join`}>the page of a site</a>.
          </p>
        </Card>
        <Card
          title="You run this coordinator"
          about="The operator’s token opens the list of studies and lets you create one."
        >
          <OperatorEntry refused={refused} onToken={onToken} />
          <p class="small soft">
            Where to find it: <code>suffice serve</code> writes it to a file. At its start it prints
            the path of the file as “admin token”, and a link to this page that contains the token.
          </p>
        </Card>
      </div>
    </>
  );
}
