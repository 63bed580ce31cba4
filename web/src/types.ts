// The shapes of the API that the page uses; docs/openapi.json has all of them.

export interface Choice { number: number; label: string; is_text: boolean }

export interface Worker {
  id: string;
  type: string;
  name: string;
  tab: number;
  sessionId: string | null;
  alive: boolean | null;
  exitCode: number | null;
  filePath: string | null;
  url: string | null;
}

export interface Session {
  id: string;
  type: string;
  locationPath: string;
  repositoryId: string | null;
  worktreeId: string | null;
  status: "active" | "inactive";
  workers: Worker[];
  title: string;
  group: string;
  agentId: string;
  parentId: string | null;
  order: number;
  branch: string | null;
  base: string | null;
  deck: {
    status: string | null;
    reason: string | null;
    since: string | null;
    unsure: string | null;
    asks: string | null;
    choices: Choice[];
    screen: string | null;
    needsYou: boolean;
    draft: string | null;
  };
}

export type Counts = Record<string, number>;
