import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/webSocket/Unfinished.ts",
  test: "packages/node/test/webSocket/Unfinished.test.ts",
  mutants: [
    {
      name: "websocket-unfinished-message-for-ever",
      promise: 5,
      find: `    if (frames.messages !== this.messages) {`,
      replace: `    if (!isPart || frames.messages !== this.messages) {`,
      title: "a message may take so long to come"
    },
    {
      name: "websocket-fragments-of-no-weight",
      promise: 5,
      find: `this.reads + this.frames.fragments`,
      replace: `this.reads`,
      title: "fragments of one byte"
    }
  ]
} satisfies Mutants
