import chromium from '@sparticuz/chromium';

// In a process of its own, for the package unpacks into TMPDIR: its own choice is one file for all users of the machine.
process.stdout.write(await chromium.executablePath());
