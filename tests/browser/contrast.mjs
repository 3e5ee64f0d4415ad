// Contrast of colours, as WCAG defines it.

function channels(colour) {
  const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
  return { rgb: [red, green, blue], alpha };
}

function luminance(rgb) {
  const [red, green, blue] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast of a colour on an opaque one, both as `rgb(…)` or `rgba(…)`. */
export function contrast(colour, ground, opacity = 1) {
  const [upper, { rgb: below }] = [channels(colour), channels(ground)];
  const alpha = upper.alpha * opacity;
  const seen = upper.rgb.map((value, index) => alpha * value + (1 - alpha) * below[index]);
  const [light, dark] = [luminance(seen), luminance(below)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}
