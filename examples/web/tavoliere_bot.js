// A bot of boardgame.io that asks a player of Tavoliere for its turns.

/**
 * Returns a class of bots, made from boardgame.io's `Bot`. `G.turns` are the turns so far as Tavoliere
 * writes them, and `ai.enumerate` of the game lists moves whose first argument is such a turn.
 */
export const botOf = (Bot, player, options) =>
  class extends Bot {
    async play({ G, ctx }, playerID) {
      const turn = await player.best(G.turns, options);
      const moves = this.enumerate(G, ctx, playerID);
      return { action: moves.find(({ payload }) => payload.args[0] === turn) };
    }
  };
