/* What the many markets of the sandbox are about; each stand-in words them in its exchange's manner. Months and years are made up. */

/** A team as people call it, and as a ticker does. */
export type Team = readonly [city: string, name: string, code: string];

export const NFL_TEAMS: readonly Team[] = [
  ['Kansas City', 'Chiefs', 'KC'],
  ['Buffalo', 'Bills', 'BUF'],
  ['Philadelphia', 'Eagles', 'PHI'],
  ['Baltimore', 'Ravens', 'BAL'],
  ['Detroit', 'Lions', 'DET'],
  ['San Francisco', '49ers', 'SF'],
  ['Green Bay', 'Packers', 'GB'],
  ['Los Angeles', 'Rams', 'LA'],
  ['Houston', 'Texans', 'HOU'],
  ['Denver', 'Broncos', 'DEN'],
  ['Seattle', 'Seahawks', 'SEA'],
  ['Tampa Bay', 'Buccaneers', 'TB'],
  ['Minnesota', 'Vikings', 'MIN'],
  ['Cincinnati', 'Bengals', 'CIN'],
  ['Dallas', 'Cowboys', 'DAL'],
  ['Pittsburgh', 'Steelers', 'PIT'],
  ['Miami', 'Dolphins', 'MIA'],
  ['Chicago', 'Bears', 'CHI'],
  ['New England', 'Patriots', 'NE'],
  ['Washington', 'Commanders', 'WAS'],
];

export const NBA_TEAMS: readonly Team[] = [
  ['Oklahoma City', 'Thunder', 'OKC'],
  ['Denver', 'Nuggets', 'DEN'],
  ['Boston', 'Celtics', 'BOS'],
  ['New York', 'Knicks', 'NYK'],
  ['Cleveland', 'Cavaliers', 'CLE'],
  ['Los Angeles', 'Lakers', 'LAL'],
  ['Golden State', 'Warriors', 'GSW'],
  ['Houston', 'Rockets', 'HOU'],
  ['San Antonio', 'Spurs', 'SAS'],
  ['Orlando', 'Magic', 'ORL'],
  ['Minnesota', 'Timberwolves', 'MIN'],
  ['Milwaukee', 'Bucks', 'MIL'],
  ['Miami', 'Heat', 'MIA'],
  ['Dallas', 'Mavericks', 'DAL'],
  ['Philadelphia', '76ers', 'PHI'],
  ['Detroit', 'Pistons', 'DET'],
];

export const NHL_TEAMS: readonly Team[] = [
  ['Florida', 'Panthers', 'FLA'],
  ['Edmonton', 'Oilers', 'EDM'],
  ['Colorado', 'Avalanche', 'COL'],
  ['Vegas', 'Golden Knights', 'VGK'],
  ['Carolina', 'Hurricanes', 'CAR'],
  ['Toronto', 'Maple Leafs', 'TOR'],
  ['Montréal', 'Canadiens', 'MTL'],
  ['New York', 'Rangers', 'NYR'],
];

export const MLB_TEAMS: readonly Team[] = [
  ['Los Angeles', 'Dodgers', 'LAD'],
  ['New York', 'Yankees', 'NYY'],
  ['Philadelphia', 'Phillies', 'PHI'],
  ['Atlanta', 'Braves', 'ATL'],
  ['Toronto', 'Blue Jays', 'TOR'],
  ['Houston', 'Astros', 'HOU'],
  ['New York', 'Mets', 'NYM'],
  ['San Diego', 'Padres', 'SD'],
  ['Seattle', 'Mariners', 'SEA'],
  ['Chicago', 'Cubs', 'CHC'],
  ['Boston', 'Red Sox', 'BOS'],
  ['Detroit', 'Tigers', 'DET'],
];

/** A name, and its code in tickers. */
export type Named = readonly [name: string, code: string];

export const PREMIER_LEAGUE: readonly Named[] = [
  ['Arsenal', 'ARS'],
  ['Manchester City', 'MCI'],
  ['Liverpool', 'LFC'],
  ['Chelsea', 'CFC'],
  ['Manchester United', 'MUN'],
  ['Tottenham', 'TOT'],
  ['Newcastle', 'NEW'],
  ['Aston Villa', 'AVL'],
  ['Brighton', 'BRI'],
  ['Everton', 'EVE'],
];

export const CHAMPIONS_LEAGUE: readonly Named[] = [
  ['Real Madrid', 'RMA'],
  ['Barcelona', 'BAR'],
  ['Bayern München', 'BMU'],
  ['Paris Saint-Germain', 'PSG'],
  ['Arsenal', 'ARS'],
  ['Manchester City', 'MCI'],
  ['Liverpool', 'LFC'],
  ['Atlético Madrid', 'ATM'],
  ['Inter Milan', 'INT'],
  ['Galatasaray', 'GAL'],
];

export const DRIVERS: readonly Named[] = [
  ['Max Verstappen', 'MV'],
  ['Lando Norris', 'LN'],
  ['Oscar Piastri', 'OP'],
  ['Charles Leclerc', 'CL'],
  ['George Russell', 'GR'],
  ['Lewis Hamilton', 'LH'],
  ['Kimi Antonelli', 'KA'],
  ['Sergio Pérez', 'SP'],
];

export const TENNIS: readonly Named[] = [
  ['Carlos Alcaraz', 'ALC'],
  ['Jannik Sinner', 'SIN'],
  ['Novak Djokovic', 'DJO'],
  ['Alexander Zverev', 'ZVE'],
  ['Taylor Fritz', 'FRI'],
  ['Jack Draper', 'DRA'],
  ['João Fonseca', 'FON'],
  ['Holger Rune', 'RUN'],
];

export const GOLFERS: readonly Named[] = [
  ['Scottie Scheffler', 'SSCH'],
  ['Rory McIlroy', 'RMCI'],
  ['Xander Schauffele', 'XSCH'],
  ['Ludvig Åberg', 'LABE'],
  ['Bryson DeChambeau', 'BDEC'],
  ['Collin Morikawa', 'CMOR'],
  ['Jon Rahm', 'JRAH'],
  ['Viktor Hovland', 'VHOV'],
];

export const DEMOCRATS: readonly Named[] = [
  ['Gavin Newsom', 'GNEW'],
  ['Alexandria Ocasio-Cortez', 'AOCA'],
  ['Pete Buttigieg', 'PBUT'],
  ['Josh Shapiro', 'JSHA'],
  ['Kamala Harris', 'KHAR'],
  ['Jon Ossoff', 'JOSS'],
  ['Andy Beshear', 'ABES'],
  ['Gretchen Whitmer', 'GWHI'],
  ['Wes Moore', 'WMOO'],
  ['Mark Kelly', 'MKEL'],
  ['Stephen A. Smith', 'SSMI'],
  ['JB Pritzker', 'JPRI'],
];

export const REPUBLICANS: readonly Named[] = [
  ['JD Vance', 'JVAN'],
  ['Marco Rubio', 'MRUB'],
  ['Donald Trump Jr.', 'DTRU'],
  ['Ron DeSantis', 'RDES'],
  ['Nikki Haley', 'NHAL'],
  ['Tucker Carlson', 'TCAR'],
  ['Ted Cruz', 'TCRU'],
  ['Glenn Youngkin', 'GYOU'],
  ['Brian Kemp', 'BKEM'],
  ['Ivanka Trump', 'ITRU'],
];

export const CABINET: readonly Named[] = [
  ['Pete Hegseth', 'PHEG'],
  ['Pam Bondi', 'PBON'],
  ['Kash Patel', 'KPAT'],
  ['Scott Bessent', 'SBES'],
  ['Kristi Noem', 'KNOE'],
  ['Howard Lutnick', 'HLUT'],
  ['Robert F. Kennedy Jr.', 'RKEN'],
  ['Tulsi Gabbard', 'TGAB'],
];

export const BRAZIL: readonly Named[] = [
  ['Luiz Inácio Lula da Silva', 'LULA'],
  ['Flávio Bolsonaro', 'FBOL'],
  ['Tarcísio de Freitas', 'TFRE'],
  ['Ciro Gomes', 'CGOM'],
  ['Fernando Haddad', 'FHAD'],
];

export const FRANCE: readonly Named[] = [
  ['Jordan Bardella', 'JBAR'],
  ['Marine Le Pen', 'MLPE'],
  ['Édouard Philippe', 'EPHI'],
  ['Jean-Luc Mélenchon', 'JMEL'],
  ['Raphaël Glucksmann', 'RGLU'],
  ['Bruno Retailleau', 'BRET'],
];

export const FILMS: readonly Named[] = [
  ['The Odyssey', 'ODY'],
  ['Dune: Part Three', 'DUN'],
  ['Digger', 'DIG'],
  ['Project Hail Mary', 'PHM'],
  ['Michael', 'MIC'],
  ['Wuthering Heights', 'WUT'],
  ['Disclosure Day', 'DIS'],
  ['Amélie Returns', 'AME'],
];

export const SINGERS: readonly Named[] = [
  ['Bad Bunny', 'BBU'],
  ['Taylor Swift', 'TSW'],
  ['The Weeknd', 'TWE'],
  ['Drake', 'DRA'],
  ['Billie Eilish', 'BEI'],
  ['Beyoncé', 'BEY'],
  ['Rosalía', 'ROS'],
  ['Sabrina Carpenter', 'SCA'],
];

export const MODELS: readonly Named[] = [
  ['Google', 'GOOG'],
  ['OpenAI', 'OAI'],
  ['Anthropic', 'ANTH'],
  ['xAI', 'XAI'],
  ['Meta', 'META'],
  ['DeepSeek', 'DEEP'],
  ['Alibaba', 'BABA'],
  ['Mistral', 'MIS'],
];

export const COMPANIES: readonly Named[] = [
  ['NVIDIA', 'NVDA'],
  ['Apple', 'AAPL'],
  ['Alphabet', 'GOOGL'],
  ['Microsoft', 'MSFT'],
  ['Amazon', 'AMZN'],
  ['Tesla', 'TSLA'],
  ['Saudi Aramco', 'ARAM'],
];

/** Coins with the levels that are asked about. */
export const COINS: readonly (readonly [name: string, code: string, levels: readonly number[]])[] = [
  ['Bitcoin', 'BTC', [60_000, 70_000, 80_000, 90_000, 95_000, 100_000, 105_000, 110_000, 120_000, 130_000, 150_000]],
  ['Ethereum', 'ETH', [2_000, 2_500, 3_000, 3_500, 4_000, 4_500, 5_000]],
  ['Solana', 'SOL', [100, 150, 200, 250, 300]],
  ['XRP', 'XRP', [1, 2, 3, 4]],
  ['Dogecoin', 'DOGE', [0.1, 0.2, 0.3, 0.5]],
];

/** Cities with a usual temperature, °F. */
export const CITIES: readonly (readonly [name: string, code: string, degrees: number])[] = [
  ['Chicago', 'CHI', 38],
  ['Miami', 'MIA', 78],
  ['Austin', 'AUS', 62],
  ['Denver', 'DEN', 45],
  ['Los Angeles', 'LAX', 68],
  ['Philadelphia', 'PHIL', 44],
  ['São Paulo', 'SAO', 82],
  ['London', 'LON', 47],
  ['Zürich', 'ZUR', 40],
  ['Bogotá', 'BOG', 66],
];

/** Days that markets name, and what a ticker makes of them. */
export const DAYS: readonly (readonly [month: string, day: number, code: string])[] = [
  ['Dec', 1, '26DEC01'],
  ['Dec', 2, '26DEC02'],
  ['Dec', 5, '26DEC05'],
  ['Dec', 12, '26DEC12'],
  ['Dec', 19, '26DEC19'],
  ['Dec', 31, '26DEC31'],
];

export const MONTHS: Readonly<Record<string, string>> = {
  Jan: 'January',
  Feb: 'February',
  Mar: 'March',
  Dec: 'December',
};

/** `$100,000`. */
export function money(amount: number): string {
  return `$${amount.toLocaleString('en-US', { maximumFractionDigits: 2 })}`;
}
