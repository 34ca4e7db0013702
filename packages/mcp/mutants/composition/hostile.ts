import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp-gateway/test/hostile/questions.test.ts",
  mutants: [
    {
      name: "a-listed-uri-moves-while-lists-are-read",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/uris.test.ts",
      find: "isSuccess(features) && mounts[index] === lister",
      replace: "isSuccess(features) && offer.resources.has(Uri.normalised(uri))",
      title: "is the first that lists it, also while its lists are read again"
    },
    {
      name: "server-offers-any-address",
      promise: 23,
      find: "if (!isOfferable(ask.url))",
      replace: "if (ask.url === \"\")",
      test: "packages/mcp/test/questions/direct.test.ts",
      title: "asks nobody to open an address that is neither https nor of this machine"
    },
    {
      name: "client-opens-any-address",
      promise: 23,
      find: `if (!isOfferable(asked.url)) return refuse`,
      replace: "if (asked.url === \"\") return refuse",
      test: "packages/mcp/test/client/Input.test.ts",
      title: "an address is refused before its handler sees it"
    },
    {
      name: "template-answers-for-other-servers",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/sources.test.ts",
      find: "variables !== undefined && uris.of(uri) === mount",
      replace: "variables !== undefined",
      title: "works as by itself"
    },
    {
      name: "an-escape-makes-a-scheme",
      promise: 23,
      test: "packages/mcp/test/uris/server.test.ts",
      find: "at < scheme ? escaped(piece)",
      replace: "at < 0 ? escaped(piece)",
      title: "and an escape makes no scheme"
    },
    {
      name: "mounted-name-begins-with-a-foreign-prefix",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/names.test.ts",
      find: "return able.filter(({ options }) => !isPlain(options) || lengthOf(options) === longest)",
      replace: "return longest < 0 ? [] : able",
      title: "takes no name that begins with the longer prefix of another"
    },
    {
      name: "refused-tool-takes-a-name",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/names.test.ts",
      find: "for (const isRefused of [false, true]) {",
      replace: "for (const isRefused of [true, false]) {",
      title: "takes no name with a tool that is refused"
    },
    {
      name: "call-waits-for-all-servers",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/names.test.ts",
      find: "(mount) => owners.includes(mount), (mount) => innerOf(mount, sought)",
      replace: "() => true, (mount) => innerOf(mount, sought)",
      title: "delays no call of the tools, prompts and listed resources of another"
    },
    {
      name: "link-belongs-to-nobody",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/names.test.ts",
      find: "linkerOf(this.#all, uri) ??",
      replace: "",
      title: "is read from the server that lists it, links to it"
    },
    {
      name: "link-takes-what-fits-a-template",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/uris.test.ts",
      find: "return before ?? linkerOf(this.#all, uri) ?? after",
      replace: "return linkerOf(this.#all, uri) ?? before ?? after",
      title: "beside the template "
    },
    {
      name: "template-of-half-a-host-before-links",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/uris.test.ts",
      find: "return path !== \"\" || rest === \"\" || /^\\{[/?#]/.test(rest)",
      replace: "return true",
      title: "beside the template "
    },
    {
      name: "template-wins-by-its-spelling",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/uris.test.ts",
      find: "const template = UriTemplate.normalised(feature.info.uriTemplate)",
      replace: "const template = feature.info.uriTemplate",
      title: "of two servers is answered by the first, in whatever spelling"
    },
    {
      name: "refused-template-takes-uris",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/uris.test.ts",
      find: "this.#offered = claims(false)",
      replace: "this.#offered = new Claims(all, featuresOf)",
      title: "answers by its own server beside a refused"
    },
    {
      name: "a-guess-before-a-refused-listing",
      promise: 23,
      test: "packages/mcp/test/composition/owners.test.ts",
      find: "this.#refused.listed(uri) ?? this.#offered.alone(uri)",
      replace: "this.#offered.alone(uri) ?? this.#refused.listed(uri)",
      title: "that lists it unapproved is not one that lists "
    },
    {
      name: "each-template-looks-for-the-owner",
      promise: 23,
      test: "packages/mcp/test/composition/owners.test.ts",
      find: "if (this.#last?.given !== given) {",
      replace: "if (this.#last?.given !== given || given !== \"\") {",
      title: "is looked for once, however many templates fit"
    },
    {
      name: "link-to-a-foreign-uri-not-logged",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/uris.test.ts",
      find: "this.#tell(withoutQuery(uri), \"linked\")",
      replace: "this.#owners.delete(offer)",
      title: "takes no URI that "
    },
    {
      name: "declared-uri-listed-by-another",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/names.test.ts",
      find: "(declarerOf(mounts, feature.info.uri) ?? mount) === mount",
      replace: "feature.info.uri.length > 0",
      title: "that is declared is one of no other server"
    },
    {
      name: "list-of-a-caller-kept-for-all",
      promise: 23,
      test: "packages/mcp-gateway/test/callers/lists.test.ts",
      find: "call.offer.isForCaller ? server.ownLists : server.lists",
      replace: "server.lists",
      title: "behind which others are reached for each caller are private"
    },
    {
      name: "list-with-visible-kept-for-all",
      promise: 23,
      test: "packages/mcp-gateway/test/callers/lists.test.ts",
      find: "some.map(([name]) => name), cursor, server.ownLists",
      replace: "some.map(([name]) => name), cursor, server.lists",
      title: "with `visible`, whatever its author says"
    },
    {
      name: "party-uses-all-of-a-bound",
      promise: 17,
      test: "packages/mcp-gateway/test/callers/shares.test.ts",
      find: "if (party !== undefined && this.of(party) + many > this.mostOfOne) return \"own\"",
      replace: "",
      title: "the connections to a server behind: "
    },
    {
      name: "anonymous-callers-use-all-of-a-bound",
      promise: 17,
      test: "packages/mcp-gateway/test/callers/shares.test.ts",
      find: "!isPrincipal(party) && this.#unnamed + many > this.mostUnnamed",
      replace: "party === null",
      title: "the connections to a server behind, also as many anonymous ones, against "
    },
    {
      name: "anonymous-callers-take-the-places-of-principals",
      promise: 17,
      test: "packages/mcp-gateway/test/callers/shares.test.ts",
      find: "if (!isPrincipal(party) && this.#unnamed + many > this.mostUnnamed) return \"unnamed\"",
      replace:
        "if (!isPrincipal(party) && this.#unnamed + many > this.mostUnnamed && this.#size < this.most) return \"unnamed\"",
      title: "the connections to a server behind, also as many anonymous ones, against "
    },
    {
      name: "log-about-a-server-without-a-bound",
      promise: 17,
      test: "packages/mcp-gateway/test/callers/shares.test.ts",
      find: "bounded((others) => {",
      replace: `((write: (others: string) => Effect.Effect<void>) => write(""))((others) => {`,
      title: "the lines of the log about a server behind"
    }
  ]
} satisfies Mutants
