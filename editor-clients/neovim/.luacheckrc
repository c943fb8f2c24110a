std = 'luajit'
globals = { 'vim' }
max_line_length = 100
exclude_files = { 'node_modules' }
files['meta'] = { ignore = { '212' } }
