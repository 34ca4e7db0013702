/** Searches that the ordinary tests cut short. */
import "./http-server/quota/story.test.ts"
