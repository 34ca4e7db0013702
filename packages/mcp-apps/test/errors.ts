import { SkillMismatch } from "@parley/mcp-apps/McpSkills"
import { InvalidSkill } from "@parley/mcp-apps/Skill"
import { type Examples, foreign } from "../../../tools/errors/Example.ts"

export default {
  InvalidSkill: {
    names: { path: "acme/pdf", rule: foreign },
    make: (foreign) => new InvalidSkill({ path: "acme/pdf", rule: foreign })
  },
  SkillMismatch: {
    names: { uri: "skill://pdf/SKILL.md", rule: foreign },
    make: (foreign) => new SkillMismatch({ uri: "skill://pdf/SKILL.md", reason: "digest", rule: foreign })
  }
} satisfies Examples
